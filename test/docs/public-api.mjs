/**
 * The public names of each entry of the package, as its built declarations have them: signature, docstring, and the
 * types that stand in the signature. docs/api.md is written from this, and test/types/public-names.test.ts holds it.
 *
 * Run by itself it prints all of it as JSON.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

export const root = resolve(import.meta.dirname, '../..')

/** Each entry with its names: { entry, file, summary, names: [{ name, kind, doc, signature, direct, deep }] }. */
export function publicApi() {
  const { name: pkg, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const entries = Object.entries(exports).flatMap(([at, to]) => (to.types ? [{ at, file: join(root, to.types) }] : []))
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023, strict: true, types: [] }
  )
  const checker = program.getTypeChecker()
  return entries.map(({ at, file }) => {
    const source = program.getSourceFile(file)
    const module = source && checker.getSymbolAtLocation(source)
    if (module === undefined) throw new Error(`${file} is missing or exports nothing: run npm run build`)
    const symbols = checker.getExportsOfModule(module).toSorted((a, b) => (a.name < b.name ? -1 : 1))
    return {
      entry: at === '.' ? pkg : `${pkg}${at.slice(1)}`,
      names: symbols.map((one) => factsOf(one, checker))
    }
  })
}

function factsOf(exported, checker) {
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
  const declaration = symbol.declarations[0]
  const seen = { direct: new Set(), deep: new Set() }
  const { kind, signature } = describe(exported.name, symbol, declaration, checker, seen)
  return {
    name: exported.name,
    kind,
    // Two entries may have one thing under one name.
    id: idOf(symbol),
    ...docOf(declaration),
    signature,
    direct: [...seen.direct],
    deep: [...seen.deep]
  }
}

/** What each source begins with: the bundler puts it before the first declaration that is left of that file. */
const headers = new Set(
  readdirSync(join(root, 'src'), { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(root, 'src', name), 'utf8'))
    .map((text) => /^\/\*\*.*?\*\/(?=\n\n|\nimport )/s.exec(text)?.[0])
)

function docOf(declaration) {
  const { jsDoc = [] } = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration
  const own = jsDoc.findLast((block) => !headers.has(block.getText()))
  const textIn = ({ comment }) => ts.getTextOfJSDocComment(comment) ?? ''
  return {
    doc: own === undefined ? '' : textIn(own),
    tags: (own?.tags ?? []).map((tag) => ({ name: tag.tagName.text, text: textIn(tag) }))
  }
}

function describe(name, symbol, declaration, checker, seen) {
  if (ts.isFunctionDeclaration(declaration)) {
    const { parameters, type } = declaration
    for (const node of [...parameters, type]) refer(node, seen.direct, checker)
    return { kind: 'function', signature: `${name}(${parameters.map(textOf).join(', ')}): ${textOf(type)}` }
  }
  if (ts.isVariableDeclaration(declaration)) {
    const { type, initializer } = declaration
    if (type) refer(type, seen.direct, checker)
    return { kind: 'const', signature: type ? `${name}: ${textOf(type)}` : `${name} = ${textOf(initializer)}` }
  }
  if (ts.isTypeAliasDeclaration(declaration)) {
    refer(declaration.type, seen.deep, checker)
    // The members of a list are said one by one.
    const type = declaration.type.getText().includes('typeof ')
      ? checker.typeToString(
          checker.getTypeAtLocation(declaration.type),
          undefined,
          ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.InTypeAlias
        )
      : shapeOf(declaration.type, checker)
    return { kind: 'type', signature: `type ${name}${parametersOf(declaration)} = ${type.replaceAll('"', "'")}` }
  }
  const kind = ts.isClassDeclaration(declaration) ? 'class' : 'interface'
  // With what it inherits from ours; what every Error has is known.
  const members = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol)).flatMap((member) => {
    const own = member.declarations?.find(isOurs)
    return own === undefined || ts.isPrivateIdentifier(own.name) ? [] : [{ member, own }]
  })
  for (const { own } of members) refer(own, seen.deep, checker)
  const base = kind === 'class' ? ' extends Error' : ''
  const lines = members.flatMap((one) => memberLines(one, checker)).map(indented)
  return { kind, signature: [`${kind} ${name}${parametersOf(declaration)}${base} {`, ...lines, '}'].join('\n') }
}

function memberLines({ member, own }, checker) {
  const optional = (member.flags & ts.SymbolFlags.Optional) !== 0
  const doc = firstSentence(ts.displayPartsToString(member.getDocumentationComment(checker)))
  const given = member.getJsDocTags(checker).find(({ name }) => name === 'default')
  const fallback = given ? `@default ${ts.displayPartsToString(given.text)}` : ''
  const about = [doc, fallback].filter((text) => text !== '').join(' ')
  const isCall = ts.isMethodSignature(own) || ts.isMethodDeclaration(own)
  const type = textOf(isCall ? own.type : (own.type ?? own.initializer))
  // That an optional one takes undefined is what the question mark says.
  const line = isCall
    ? `${member.name}(${own.parameters.map(textOf).join(', ')}): ${type}`
    : `${member.name}${optional ? `?: ${type.replace(/ \| undefined$/, '').replace(/^\((.*)\)$/, '$1')}` : `: ${type}`}`
  return [...(about === '' ? [] : [`/** ${about} */`]), line]
}

const indented = (line) => `  ${line.replaceAll('\n', '\n  ')}`

/** A type as it is written, with a line for each member of an object that it names. */
function shapeOf(node, checker) {
  if (ts.isParenthesizedTypeNode(node)) return `(${shapeOf(node.type, checker)})`
  if (ts.isUnionTypeNode(node)) return node.types.map((type) => shapeOf(type, checker)).join(' | ')
  if (ts.isIntersectionTypeNode(node)) return node.types.map((type) => shapeOf(type, checker)).join(' & ')
  if (!ts.isTypeLiteralNode(node)) return textOf(node)
  const members = checker.getPropertiesOfType(checker.getTypeFromTypeNode(node))
  const lines = members.flatMap((member) => memberLines({ member, own: member.declarations[0] }, checker))
  return ['{', ...lines.map(indented), '}'].join('\n')
}

/** As it is written, without comments; a number that the bundler has added to a name is left out. */
function textOf(node) {
  const plain = node
    .getText()
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/\$\d+/g, '')
  return plain.replaceAll(/\s+/g, ' ').replace(/^\| /, '').replaceAll('; }', ' }').replaceAll('"', "'")
}

const parametersOf = ({ typeParameters }) => (typeParameters ? `<${typeParameters.map(textOf).join(', ')}>` : '')

const isOurs = (node) => node.getSourceFile().fileName.startsWith(join(root, 'dist'))

/** The declared names that a piece of a declaration refers to; a base is not named, its members are. */
function refer(node, into, checker) {
  if (ts.isTypeReferenceNode(node) || ts.isExpressionWithTypeArguments(node)) {
    const name = ts.isTypeReferenceNode(node) ? node.typeName : node.expression
    const found = checker.getSymbolAtLocation(name)
    const symbol = found && found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found
    if (symbol?.declarations?.some(isOurs) && !(symbol.flags & ts.SymbolFlags.TypeParameter)) into.add(idOf(symbol))
  }
  ts.forEachChild(node, (child) => refer(child, into, checker))
}

function idOf(symbol) {
  const { fileName } = symbol.declarations[0].getSourceFile()
  return `${fileName.slice(root.length + 1)}#${symbol.name}`
}

/** Up to the first full stop that ends a sentence. */
export function firstSentence(doc) {
  const text = doc
    .split(/\n\s*\n/)[0]
    .replaceAll(/\s+/g, ' ')
    .trim()
  return /^.*?\.(?= [A-Z`]|$)/.exec(text)?.[0] ?? text
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(JSON.stringify(publicApi()))

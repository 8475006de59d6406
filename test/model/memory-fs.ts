/**
 * A file system in memory that forgets at a power cut what was not synced.
 *
 * It performs the store's file operations one at a time. What a file holds is durable as of the last `sync` of it;
 * the names in a folder are durable as of the last `syncDir` of that folder. Each change to a folder since then
 * survives a power cut or is lost on its own (no order between them is promised), so it is harder than the real ones:
 * a rename from one folder to another may even be durable in one of them only. Bytes are never changed in place, so
 * that a copy of what was there is free.
 */
import { errno, type FileOp, type Handle } from '../../src/store/files.js'

interface MemoryFile {
  readonly kind: 'file'
  bytes: Uint8Array
  durable: Uint8Array
}

interface Folder {
  readonly kind: 'folder'
  names: Map<string, Inode>
  durable: Map<string, Inode>
  /** What happened to the names since the last sync, oldest first. */
  pending: NameChange[]
}

type Inode = MemoryFile | Folder

interface NameChange {
  /** Counts the changes of all folders. */
  readonly place: number
  readonly effects: readonly (readonly [name: string, inode: Inode | null])[]
}

/** What a power cut does. */
export interface PowerCut {
  /** Whether an unsynced change of a folder's names survives; `place` orders the changes of all folders. */
  readonly survives: (change: { readonly place: number; readonly folder: string }) => boolean
  /** What is found in a file that was written and not synced. */
  readonly content: (durable: Uint8Array, written: Uint8Array) => Uint8Array
}

const NOTHING: Uint8Array = new Uint8Array()

export class MemoryFs {
  #root: Folder = folder()
  #place = 0
  /** How many bytes of a write are taken, and how many the writer is told. */
  onWrite: (asked: number) => { readonly taken: number; readonly told: number } = (asked) => ({
    taken: asked,
    told: asked
  })
  /** False: link() is refused, as on a file system without hard links. */
  hardLinks = true

  /** Carries out one operation; throws errno errors as Node does. */
  perform(op: FileOp): unknown {
    switch (op.op) {
      case 'read':
        return this.#read(op.path, op.limit)
      case 'list':
        return [...this.#folderAt('scandir', op.path).names.keys()].sort()
      case 'size':
        return this.#size(op.path)
      case 'create':
        return this.#create(op.path)
      case 'write':
        return this.#write(op.file, op.bytes)
      case 'length':
        return fileOf(op.file).bytes.length
      case 'sync':
        return this.#sync(fileOf(op.file))
      case 'close':
        return undefined
      case 'link':
        return this.#link(op.from, op.to)
      case 'rename':
        return this.#rename(op.from, op.to)
      case 'unlink':
        return this.#unlink(op.path)
      case 'mkdir':
        return this.#mkdir(op.path)
      case 'rmdir':
        return this.#rmdir(op.path)
      case 'syncDir':
        return this.#syncDir(op.path)
      default:
        throw new TypeError(`${op.op} is no file operation`)
    }
  }

  /** The bytes under a name, or null where there is no such file. */
  bytesOf(path: string): Uint8Array | null {
    const inode = this.#find(path)
    return inode?.kind === 'file' ? inode.bytes : null
  }

  /** The names in a folder; none where it is not there. */
  namesIn(path: string): string[] {
    const inode = this.#find(path)
    return inode?.kind === 'folder' ? [...inode.names.keys()] : []
  }

  has(path: string): boolean {
    return this.#find(path) !== null
  }

  /** Writes in place, as an editor does: the file keeps its identity, and nothing is synced. */
  overwrite(path: string, bytes: Uint8Array): void {
    const inode = this.#find(path)
    if (inode?.kind === 'file') inode.bytes = bytes
    else this.replace(path, bytes)
  }

  /** Puts a new file under the name, unsynced. Folders above it that are missing are made. */
  replace(path: string, bytes: Uint8Array): void {
    const { parent, name } = this.#placeOf(path, true)
    this.#change(parent, [[name, { kind: 'file', bytes, durable: NOTHING }]])
  }

  /** Removes a file or a whole folder. */
  remove(path: string): void {
    if (!this.has(path)) return
    const { parent, name } = this.#placeOf(path, false)
    this.#change(parent, [[name, null]])
  }

  /** Makes all that is there durable. */
  settle(): void {
    const visit = (inode: Inode): void => {
      if (inode.kind === 'file') inode.durable = inode.bytes
      else {
        inode.durable = new Map(inode.names)
        inode.pending = []
        for (const child of inode.names.values()) visit(child)
      }
    }
    visit(this.#root)
  }

  /** The places of the changes to names that no sync has made durable yet, in their order. */
  unsynced(): number[] {
    const places: number[] = []
    const visit = (inode: Inode): void => {
      if (inode.kind === 'file') return
      for (const { place } of inode.pending) places.push(place)
      for (const child of new Set([...inode.names.values(), ...inode.durable.values()])) visit(child)
    }
    visit(this.#root)
    return [...new Set(places)].sort((a, b) => a - b)
  }

  /** What is left after the power went is all there is, and is durable. */
  powerCut({ survives, content }: PowerCut): void {
    const met = new Set<Inode>()
    const visit = (inode: Inode, path: string): void => {
      if (met.has(inode)) return
      met.add(inode)
      if (inode.kind === 'file') {
        if (inode.bytes !== inode.durable) inode.bytes = content(inode.durable, inode.bytes)
        inode.durable = inode.bytes
        return
      }
      const names = inode.durable
      for (const { place, effects } of inode.pending) {
        if (!survives({ place, folder: path })) continue
        for (const [name, target] of effects) {
          if (target === null) names.delete(name)
          else names.set(name, target)
        }
      }
      inode.names = names
      inode.durable = new Map(names)
      inode.pending = []
      for (const [name, child] of names) visit(child, join(path, name))
    }
    visit(this.#root, '/')
  }

  #read(path: string, limit: number): Uint8Array {
    const inode = this.#existing('open', path)
    if (inode.kind !== 'file') throw errno('ENOTREG', `${path} is not a regular file`)
    if (inode.bytes.length > limit) throw errno('EFBIG', `${path} holds more than ${limit} bytes`)
    return inode.bytes
  }

  #size(path: string): number {
    const inode = this.#existing('lstat', path)
    return inode.kind === 'file' ? inode.bytes.length : 4096
  }

  #create(path: string): Handle {
    const { parent, name } = this.#parentOf('open', path)
    if (parent.names.has(name)) throw failure('EEXIST', 'open', path)
    const file: MemoryFile = { kind: 'file', bytes: NOTHING, durable: NOTHING }
    this.#change(parent, [[name, file]])
    return { handle: file }
  }

  #write(handle: Handle, bytes: Uint8Array): number {
    const file = fileOf(handle)
    const { taken, told } = this.onWrite(bytes.length)
    file.bytes = Buffer.concat([file.bytes, bytes.subarray(0, taken)])
    return told
  }

  #link(from: string, to: string): void {
    const source = this.#existing('link', from, to)
    const target = this.#parentOf('link', to, from)
    if (target.parent.names.has(target.name)) throw failure('EEXIST', 'link', from, to)
    if (!this.hardLinks || source.kind !== 'file') throw failure('EPERM', 'link', from, to)
    this.#change(target.parent, [[target.name, source]])
  }

  #sync(file: MemoryFile): void {
    file.durable = file.bytes
  }

  #rename(from: string, to: string): void {
    const source = this.#parentOf('rename', from, to)
    const target = this.#parentOf('rename', to, from)
    const inode = this.#existing('rename', from, to)
    if (to.startsWith(`${from}/`)) throw failure('EINVAL', 'rename', from, to)
    const there = target.parent.names.get(target.name)
    if (there === inode) return
    if (there !== undefined) {
      if (from.startsWith(`${to}/`)) throw failure('ENOTEMPTY', 'rename', from, to)
      if (inode.kind === 'folder' && there.kind === 'file') throw failure('ENOTDIR', 'rename', from, to)
      if (inode.kind === 'file' && there.kind === 'folder') throw failure('EISDIR', 'rename', from, to)
      if (there.kind === 'folder' && there.names.size > 0) throw failure('ENOTEMPTY', 'rename', from, to)
    }
    if (source.parent === target.parent) {
      this.#change(source.parent, [
        [source.name, null],
        [target.name, inode]
      ])
      return
    }
    this.#change(target.parent, [[target.name, inode]])
    this.#change(source.parent, [[source.name, null]])
  }

  #unlink(path: string): void {
    if (this.#existing('unlink', path).kind !== 'file') throw failure('EISDIR', 'unlink', path)
    this.remove(path)
  }

  #mkdir(path: string): void {
    const { parent, name } = this.#parentOf('mkdir', path)
    if (parent.names.has(name)) throw failure('EEXIST', 'mkdir', path)
    this.#change(parent, [[name, folder()]])
  }

  #rmdir(path: string): void {
    const inode = this.#folderAt('rmdir', path)
    if (inode.names.size > 0) throw failure('ENOTEMPTY', 'rmdir', path)
    this.remove(path)
  }

  #syncDir(path: string): void {
    const inode = this.#folderAt('open', path)
    inode.durable = new Map(inode.names)
    inode.pending = []
  }

  #change(parent: Folder, effects: NameChange['effects']): void {
    for (const [name, inode] of effects) {
      if (inode === null) parent.names.delete(name)
      else parent.names.set(name, inode)
    }
    parent.pending.push({ place: this.#place++, effects })
  }

  #find(path: string): Inode | null {
    const inode = this.#walk(path)
    return typeof inode === 'string' ? null : inode
  }

  /** What is there, or the code of why nothing is. */
  #walk(path: string): Inode | 'ENOENT' | 'ENOTDIR' {
    let inode: Inode = this.#root
    for (const name of partsOf(path)) {
      if (inode.kind === 'file') return 'ENOTDIR'
      const child = inode.names.get(name)
      if (child === undefined) return 'ENOENT'
      inode = child
    }
    return inode
  }

  #existing(syscall: string, path: string, dest?: string): Inode {
    const inode = this.#walk(path)
    if (typeof inode === 'string') throw failure(inode, syscall, path, dest)
    return inode
  }

  #folderAt(syscall: string, path: string): Folder {
    const inode = this.#existing(syscall, path)
    if (inode.kind !== 'folder') throw failure('ENOTDIR', syscall, path)
    return inode
  }

  /** The folder that holds the name; `path` is reported first in an error, or as the destination of `from`. */
  #parentOf(syscall: string, path: string, from?: string): { parent: Folder; name: string } {
    const cut = path.lastIndexOf('/')
    const parent = this.#walk(path.slice(0, cut))
    const paths: readonly [string, string?] = from === undefined ? [path] : [from, path]
    if (typeof parent === 'string') throw failure(parent, syscall, ...paths)
    if (parent.kind !== 'folder') throw failure('ENOTDIR', syscall, ...paths)
    return { parent, name: path.slice(cut + 1) }
  }

  /** The same for a path that is known to be there, or that is made. */
  #placeOf(path: string, make: boolean): { parent: Folder; name: string } {
    const above = path.slice(0, path.lastIndexOf('/'))
    if (make && !this.has(above)) {
      const { parent, name } = this.#placeOf(above, true)
      this.#change(parent, [[name, folder()]])
    }
    return this.#parentOf('open', path)
  }
}

function folder(): Folder {
  return { kind: 'folder', names: new Map(), durable: new Map(), pending: [] }
}

function fileOf(handle: Handle): MemoryFile {
  return handle.handle as MemoryFile
}

const parts = new Map<string, readonly string[]>()

function partsOf(path: string): readonly string[] {
  const known = parts.get(path)
  if (known !== undefined) return known
  const made = path.split('/').filter((part) => part !== '')
  if (parts.size >= 10_000) parts.clear()
  parts.set(path, made)
  return made
}

/** An error as Node gives it. */
export function failure(code: string, syscall: string, path: string, dest?: string): Error & { code: string } {
  const to = dest === undefined ? '' : ` -> '${dest}'`
  const error = errno(code, `${syscall} '${path}'${to}`)
  return Object.assign(error, { syscall, path, ...(dest === undefined ? {} : { dest }) })
}

function join(path: string, name: string): string {
  return path === '/' ? `/${name}` : `${path}/${name}`
}

/** Nothing that was not synced survives. */
export const ALL_LOST: PowerCut = { survives: () => false, content: (durable) => durable }

/** Everything survives, synced or not. */
export const ALL_KEPT: PowerCut = { survives: () => true, content: (_durable, written) => written }

/** The names survive, what was written into the files does not. */
export const NAMES_KEPT: PowerCut = { survives: () => true, content: (durable) => durable }

/** What happened to this folder's names is lost; the rest survives. */
export function lostIn(folder: string): PowerCut {
  return { survives: (change) => change.folder !== folder, content: (_durable, written) => written }
}

/** The first changes survive, those from `place` on are lost. */
export function lostFrom(place: number): PowerCut {
  return { survives: (change) => change.place < place, content: (durable) => durable }
}

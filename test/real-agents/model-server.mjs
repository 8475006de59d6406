/**
 * A model server for the real agent programs, on loopback: as much of their vendors' APIs as a turn takes.
 *
 * The last words of the person steer it: `RUN: <command> :END` makes Claude Code run that command in its shell tool;
 * everything else is answered with one short line. Each request is a line of the log, with all that was said before,
 * so that a test can see whether an earlier turn came back.
 * Usage: node model-server.mjs <port> <log>
 */
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'

const [port = '0', log = ''] = process.argv.slice(2)
let count = 0

function words(content) {
  if (typeof content === 'string') return content
  return (content ?? []).map((part) => part.text ?? '').join('\n')
}

function lastWords(messages) {
  const mine = messages.filter(({ role }) => role === 'user')
  return words(mine.at(-1)?.content).replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, '')
}

function stream(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  return (type, data) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
}

function anthropic(body, response) {
  const id = `msg_${count}`
  const last = body.messages?.at(-1)
  const afterTool = Array.isArray(last?.content) && last.content.some(({ type }) => type === 'tool_result')
  const asked = lastWords(body.messages ?? [])
  const command = afterTool ? undefined : /RUN: (.+?) :END/.exec(asked)?.[1]
  const tool = command !== undefined && body.tools?.some(({ name }) => name === 'Bash')
  const usage = { input_tokens: 1, output_tokens: 1 }
  const message = { id, type: 'message', role: 'assistant', model: body.model, content: [], stop_reason: null, usage }
  if (!body.stream) {
    response.writeHead(200, { 'content-type': 'application/json' })
    const content = [{ type: 'text', text: `answer ${count}` }]
    return response.end(JSON.stringify({ ...message, content, stop_reason: 'end_turn' }))
  }
  const send = stream(response)
  send('message_start', { message })
  if (tool) {
    const input = { command, description: 'a nested agent' }
    send('content_block_start', {
      index: 0,
      content_block: { type: 'tool_use', id: `toolu_${count}`, name: 'Bash', input: {} }
    })
    send('content_block_delta', { index: 0, delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) } })
  } else {
    send('content_block_start', { index: 0, content_block: { type: 'text', text: '' } })
    send('content_block_delta', { index: 0, delta: { type: 'text_delta', text: `answer ${count}` } })
  }
  send('content_block_stop', { index: 0 })
  send('message_delta', { delta: { stop_reason: tool ? 'tool_use' : 'end_turn' }, usage })
  send('message_stop', {})
  response.end()
}

function responses(response) {
  const send = stream(response)
  const id = `resp_${count}`
  const usage = {
    input_tokens: 1,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 1,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 2
  }
  const item = {
    type: 'message',
    id: `msg_${count}`,
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: `answer ${count}` }]
  }
  send('response.created', { response: { id, object: 'response', status: 'in_progress', output: [] } })
  send('response.output_item.added', { output_index: 0, item: { ...item, content: [], status: 'in_progress' } })
  send('response.output_text.delta', { item_id: item.id, output_index: 0, content_index: 0, delta: `answer ${count}` })
  send('response.output_item.done', { output_index: 0, item })
  send('response.completed', { response: { id, object: 'response', status: 'completed', output: [item], usage } })
  response.end()
}

function chat(body, response) {
  const base = { id: `chat_${count}`, created: 1, model: body.model }
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  if (!body.stream) {
    const message = { role: 'assistant', content: `answer ${count}` }
    response.writeHead(200, { 'content-type': 'application/json' })
    const choices = [{ index: 0, message, finish_reason: 'stop' }]
    return response.end(JSON.stringify({ ...base, object: 'chat.completion', choices, usage }))
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const chunk = (delta, more = {}) => {
    const choices = [{ index: 0, delta, finish_reason: null, ...more }]
    response.write(`data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices, usage })}\n\n`)
  }
  chunk({ role: 'assistant', content: `answer ${count}` })
  chunk({}, { finish_reason: 'stop' })
  response.end('data: [DONE]\n\n')
}

/** It asks for JSON where it wants to know which model to use. */
function gemini(url, body, response) {
  const properties = Object.entries(body.generationConfig?.responseJsonSchema?.properties ?? {})
  const made = (one) => one.enum?.[0] ?? { number: 1, integer: 1, boolean: false, array: [] }[one.type] ?? 'text'
  const json = JSON.stringify(Object.fromEntries(properties.map(([name, one]) => [name, made(one)])))
  const parts = [{ text: properties.length > 0 ? json : `answer ${count}` }]
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }
  const candidates = [{ content: { role: 'model', parts }, index: 0, finishReason: 'STOP' }]
  const text = JSON.stringify({ candidates, usageMetadata, modelVersion: 'mock', totalTokens: 1 })
  const streams = url.includes('stream')
  response.writeHead(200, { 'content-type': streams ? 'text/event-stream' : 'application/json' })
  response.end(streams ? `data: ${text}\r\n\r\n` : text)
}

createServer((request, response) => {
  const parts = []
  request.on('data', (part) => parts.push(part))
  request.on('end', () => {
    count += 1
    const text = Buffer.concat(parts).toString()
    appendFileSync(log, `${JSON.stringify({ url: request.url, text })}\n`)
    const post = request.method === 'POST'
    if (post && request.url.startsWith('/v1/messages') && !request.url.includes('count_tokens')) {
      return anthropic(JSON.parse(text), response)
    }
    if (post && /\/responses(\?|$)/.test(request.url)) return responses(response)
    if (post && request.url.includes('chat/completions')) return chat(JSON.parse(text), response)
    if (post && /generateContent|countTokens/i.test(request.url)) return gemini(request.url, JSON.parse(text), response)
    response.writeHead(request.url.includes('/models') || request.url.includes('count_tokens') ? 200 : 404, {
      'content-type': 'application/json'
    })
    response.end(
      request.url.includes('count_tokens') ? '{"input_tokens":1}' : '{"object":"list","data":[],"models":[]}'
    )
  })
}).listen(Number(port), '127.0.0.1', () => console.log('ready'))

// The parts of a message or artifact, each as what it is. What an agent sends is text, or an image or sound made from its
// bytes in memory; nothing it names is ever loaded, and nothing it says becomes markup.

import { useEffect, useState } from 'preact/hooks'
import type { Part } from '../../src/model/task.ts'
import { Json } from '../shared/json.tsx'
import { Scrolls } from '../shared/scrolls.tsx'
import { saveAs } from './api.ts'
import { Markdown } from './markdown.tsx'

const MAX_SHOWN = 20_000
const MAX_CSV_ROWS = 200
const IMAGES = /^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml)$/i
const SOUNDS = /^audio\/[\w.+-]+$/i

export function Parts({ parts }: { parts: readonly Part[] }) {
  return (
    <div class="parts">
      {parts.map((part, at) => (
        <PartView key={at} part={part} />
      ))}
    </div>
  )
}

function PartView({ part }: { part: Part }) {
  if ('text' in part) return <TextPart part={part} />
  if ('data' in part) return <Json value={part.data} />
  if ('url' in part) return <LinkPart url={part.url} name={part.filename} type={part.mediaType} />
  return <FilePart raw={part.raw} name={part.filename} type={part.mediaType} />
}

function TextPart({ part: { text, mediaType = '', filename = '' } }: { part: Extract<Part, { text: string }> }) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole || text.length <= MAX_SHOWN ? text : text.slice(0, MAX_SHOWN)
  const more = text.length - shown.length
  return (
    <>
      {/csv/i.test(mediaType) || /\.csv$/i.test(filename) ? (
        <Csv text={shown} />
      ) : (
        <Text text={shown} mediaType={mediaType} />
      )}
      {more > 0 && (
        <button type="button" onClick={() => setWhole(true)}>
          Show {more.toLocaleString('en')} more characters
        </button>
      )}
    </>
  )
}

function Text({ text, mediaType }: { text: string; mediaType: string }) {
  if (/json/i.test(mediaType)) {
    try {
      return <Json value={JSON.parse(text)} />
    } catch {
      return <p class="text">{text}</p>
    }
  }
  return <Markdown text={text} />
}

function Csv({ text }: { text: string }) {
  const rows = rowsOf(text)
  const [head = [], ...body] = rows
  return (
    <Scrolls label="Table">
      <table>
        <thead>
          <tr>
            {head.map((cell, at) => (
              <th key={at} scope="col">
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row, at) => (
            <tr key={at}>
              {row.map((cell, place) => (
                <td key={place}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolls>
  )
}

/** RFC 4180: quotes around cells, doubled inside of them. */
function rowsOf(text: string): string[][] {
  const rows: string[][] = []
  for (const line of text.split(/\r?\n(?=(?:[^"]*"[^"]*")*[^"]*$)/).slice(0, MAX_CSV_ROWS)) {
    if (line === '') continue
    const cells = line.match(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)?.slice(0, line.endsWith(',') ? undefined : -1) ?? []
    rows.push(cells.map((cell) => cell.replace(/,$/, '').replace(/^"|"$/g, '').replaceAll('""', '"')))
  }
  return rows
}

function LinkPart({ url, name, type }: { url: string; name: string | undefined; type: string | undefined }) {
  const isWeb = /^https?:\/\//i.test(url)
  return (
    <p class="file">
      <b>{name ?? 'File elsewhere'}</b> <span class="muted">{type}</span>{' '}
      {isWeb ? (
        <a href={url} target="_blank" rel="noreferrer">
          {url}
        </a>
      ) : (
        <code>{url}</code>
      )}
    </p>
  )
}

function FilePart({ raw, name, type = '' }: { raw: string; name: string | undefined; type: string | undefined }) {
  const [url, setUrl] = useState<string | undefined>(undefined)
  const bytes = bytesOf(raw)
  const isShown = bytes !== undefined && (IMAGES.test(type) || SOUNDS.test(type))
  useEffect(() => {
    if (!isShown || bytes === undefined) return
    const made = URL.createObjectURL(new Blob([bytes], { type }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [raw, type])
  if (bytes === undefined) return <p class="bad">The bytes of {name ?? 'a file'} are not base64.</p>
  return (
    <figure class="file">
      {url !== undefined && IMAGES.test(type) && <img src={url} alt={name ?? 'An image the agent sent'} />}
      {url !== undefined && SOUNDS.test(type) && (
        // biome-ignore lint/a11y/useMediaCaption: nobody wrote captions for what an agent sends.
        <audio src={url} controls />
      )}
      <figcaption>
        <b>{name ?? 'file'}</b> <span>{[type, sizeText(bytes.length)].filter((each) => each !== '').join(' · ')}</span>
        <button type="button" onClick={() => saveAs(new Blob([bytes]), name ?? 'file')}>
          Save
        </button>
      </figcaption>
    </figure>
  )
}

function bytesOf(raw: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(raw.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
  } catch {
    return undefined
  }
}

export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

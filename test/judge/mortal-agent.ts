// The tiny agent as a process of its own, which dies or falls silent when it hears the words it was given.
// Prints its URL. Arguments: `exit`, `exit-later` or `hang`, and the words.

import { startTinyAgent } from './tiny-agent.ts'

const [, , way = '', words = ''] = process.argv
let isSilent = false

const peer = await startTinyAgent({
  intercept: (_, response, body) => {
    if (body.includes(words)) {
      if (way === 'exit') process.exit(1)
      if (way === 'hang') isSilent = true
      // After its answer, as a crash in the background would; nobody gets through to it in between.
      if (way === 'exit-later') {
        peer.stopListening()
        response.once('close', () => process.exit(1))
      }
    }
    return isSilent
  },
})
console.log(peer.url)

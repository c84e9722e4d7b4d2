// Texts an agent could send that try to be more than text: markup, scripts, links that run, escapes of a terminal, signs that
// turn the order of what follows around.

export const ATTACKS: readonly string[] = [
  `<img src=x onerror="window.__hit=1">`,
  `<script>window.__hit=1</script>`,
  `"><svg onload=window.__hit=1>`,
  `</textarea></pre></title><iframe srcdoc="<script>parent.__hit=1</script>">`,
  `" onfocus=window.__hit=1 x="]]>--></script>`,
  `[click](javascript:window.__hit=1) [data](data:text/html,<script>parent.__hit=1</script>)`,
  `{{constructor.constructor('window.__hit=1')()}} \${window.__hit=1}`,
  `\u001b[31mred\u001b[0m \u202Egpj.exe\u202C \u2066x\u2069 \u200f\u0000`,
]

export const XSS = ATTACKS.join(' ')

export const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="window.__hit=1"><script>window.__hit=1</script><image href="http://127.0.0.1:9/beacon"/></svg>`

/** Expressions for `page.evaluate`: none of the attacks may have come to anything. */
export const HIT = 'globalThis.__hit'
export const ACTIVE_ELEMENTS = `document.querySelectorAll('main iframe, main script, main object, main embed').length`
export const RUNNING_LINKS = `[...document.links].filter(({ protocol }) => !/^https?:$/.test(protocol)).length`
/** Texts of the page that would be drawn in another order than they were written. */
export const TURNED_TEXTS = `/[\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]/.test(document.body.innerText)`

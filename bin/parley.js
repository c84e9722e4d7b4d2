#!/usr/bin/env node
// The entry of the command: checks the running Node before anything newer than it is loaded.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `parley needs Node 22.18 or newer, but this is Node ${process.versions.node}. Install a newer Node, or run it as: npx -p node@24 -p a2a-parley parley\n`,
  )
  process.exit(2)
}
import('../dist/cli/main.js').then((cli) => cli.main(process.argv.slice(2)))

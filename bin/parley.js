#!/usr/bin/env node
// The entry of the command: checks the running Node before anything newer than it is loaded.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `parley needs Node 22.18 or newer, but this is Node ${process.versions.node}. Install a newer Node, or run it as: npx -p node@24 -p a2a-parley parley\n`,
  )
  process.exit(2)
}
// What was compiled once is not compiled again; NODE_COMPILE_CACHE says where it is kept, NODE_DISABLE_COMPILE_CACHE=1 stops it.
process.getBuiltinModule('node:module').enableCompileCache()
import('../dist/cli/main.js').then((cli) => cli.main(process.argv.slice(2)))

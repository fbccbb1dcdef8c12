// Formats Lua files by stylua.toml, with the StyLua library of npm (the stylua program is used where there is one):
//
//	node scripts/lua-format.mjs LIBRARY-FOLDER [--check] FILE...
//
// With --check nothing is written: files that differ are named, and the exit status is 1.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const [folder, ...rest] = process.argv.slice(2);
const check = rest[0] === "--check";
const files = check ? rest.slice(1) : rest;
const library = createRequire(`${folder}/`)("@johnnymorganz/stylua");

// configuration reads the flat keys of stylua.toml; a string names a member of the key's enumeration.
function configuration() {
  const kinds = {
    indent_type: library.IndentType,
    quote_style: library.QuoteStyle,
    call_parentheses: library.CallParenType,
    collapse_simple_statement: library.CollapseSimpleStatement,
    line_endings: library.LineEndings,
    syntax: library.LuaVersion,
  };
  const config = library.Config.new();
  for (const [, key, value] of readFileSync("stylua.toml", "utf8").matchAll(/^(\w+) *= *(.+?) *$/gm)) {
    config[key] = value.startsWith('"') ? kinds[key][value.slice(1, -1)] : Number(value);
    if (config[key] === undefined) throw new Error(`stylua.toml: ${key} = ${value} is not known`);
  }
  return config;
}

let differing = 0;
for (const file of files) {
  const before = readFileSync(file, "utf8");
  const after = library.formatCode(before, configuration(), undefined, library.OutputVerification.None);
  if (after === before) continue;
  differing++;
  if (check) console.log(`${file}: not formatted as stylua.toml says`);
  else writeFileSync(file, after);
}
process.exit(check && differing > 0 ? 1 : 0);

/** What people call languages that the catalogue calls otherwise. */
const names: { readonly [name: string]: string } = {
  "c#": "csharp",
  "c++": "cpp",
  "f#": "fsharp",
  bash: "shellscript",
  docker: "dockerfile",
  golang: "go",
  js: "javascript",
  objc: "objective-c",
  "objective c": "objective-c",
  py: "python",
  sh: "shellscript",
  shell: "shellscript",
  tex: "latex",
  ts: "typescript",
  "visual basic": "vb",
  zsh: "shellscript",
};

/** The catalogue's name of a language that a person names. */
export function languageNamed(word: string): string {
  const name = word.toLowerCase();
  return (Object.hasOwn(names, name) ? names[name] : undefined) ?? name;
}

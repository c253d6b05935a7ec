/** Common names of languages that have another name in the catalogue. */
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

export function languageNamed(word: string): string {
  const name = word.toLowerCase();
  return (Object.hasOwn(names, name) ? names[name] : undefined) ?? name;
}

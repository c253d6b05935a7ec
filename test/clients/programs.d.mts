export declare const clientsFolder: string;
interface Program {
  package: string;
  bin: string;
}
export declare const programs: { codex: Program; [id: string]: Program };
export declare function folderOf(name: string): string;
export declare function programOf(id: string): string;

export declare const clientsFolder: string;
export declare const programs: { [id: string]: { package: string; bin: string } };
export declare function folderOf(name: string): string;
export declare function programOf(id: string): string;

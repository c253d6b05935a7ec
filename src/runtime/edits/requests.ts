/** What a call asks of the edit engine instead of a new edit: to apply a preview, or to undo an edit. */
export class ApplyRequest {
  constructor(readonly token: string) {}
}

export class UndoRequest {
  constructor(readonly token: string) {}
}

/** The part of WebAssembly that we use. Node's types do not declare it; browsers' types do. */
declare namespace WebAssembly {
  class Memory {
    constructor(of: { readonly initial: number });
    readonly buffer: ArrayBuffer;
  }
  class Module {
    constructor(code: Uint8Array);
  }
}

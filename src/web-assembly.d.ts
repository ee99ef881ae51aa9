/** What we use of WebAssembly, which the types of Node leave to those of browsers. */
declare namespace WebAssembly {
  class Memory {
    constructor(of: { readonly initial: number });
    readonly buffer: ArrayBuffer;
  }
  class Module {
    constructor(code: Uint8Array);
  }
}

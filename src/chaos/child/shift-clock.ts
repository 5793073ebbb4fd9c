/** Makes this process believe that it is so much later (or earlier). Durations are still measured right. */
export function shiftClock(byMs: number): void {
  const RealDate = Date;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [RealDate.now() + byMs] : args, newTarget),
    apply: () => new RealDate(RealDate.now() + byMs).toString(),
    get: (target, name, receiver) => (name === 'now' ? () => RealDate.now() + byMs : Reflect.get(target, name, receiver)),
  });
}

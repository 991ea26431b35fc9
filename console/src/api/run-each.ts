/** Runs `work` for each element, `atOnce` at a time, and calls `onDone` after each. Stops when `signal.stopped` is set. */
export async function runEach<T>(
  all: T[],
  atOnce: number,
  work: (one: T) => Promise<void>,
  signal: { stopped: boolean },
  onDone: (done: number) => void,
): Promise<void> {
  let next = 0;
  let done = 0;
  const worker = async () => {
    while (next < all.length && !signal.stopped) {
      const one = all[next++]!;
      await work(one);
      done += 1;
      onDone(done);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, all.length) }, worker));
}

import { useState } from 'react';
import { Button } from '../ui/Button';
import { notifyError } from '../ui/Feedback';
import { useWords } from '../ui/texts';

const DONE_MS = 1500;

/** Copies a text to the clipboard. Pages without HTTPS have no clipboard API: then it is copied from a selection. */
export async function copyText(text: string): Promise<void> {
  if (isSecureContext) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

export function CopyButton({ text, label }: { text: string; label?: string }) {
  const words = useWords();
  const [isDone, setDone] = useState(false);
  const copy = () =>
    copyText(text).then(() => {
      setDone(true);
      setTimeout(() => setDone(false), DONE_MS);
    }, notifyError);
  return (
    <Button small icon={isDone ? 'check' : 'copy'} onPress={() => void copy()}>
      {isDone ? words('copied') : (label ?? words('copy'))}
    </Button>
  );
}

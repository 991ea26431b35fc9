import { useState } from 'react';
import { IconButton } from '../ui/Button';
import { notifyError } from '../ui/Feedback';
import { useWords } from '../ui/texts';
import { copyText } from './CopyButton';

/** A short text that people copy: an id, a key. */
export function CopyId({ text }: { text: string }) {
  const words = useWords();
  const [isDone, setDone] = useState(false);
  const copy = () =>
    copyText(text).then(() => {
      setDone(true);
      setTimeout(() => setDone(false), 1500);
    }, notifyError);
  return (
    <span className="copy-id">
      <span className="mono truncate" title={text}>
        {text}
      </span>
      <IconButton
        small
        icon={isDone ? 'check' : 'copy'}
        label={isDone ? words('copied') : `${words('copy')} ${text}`}
        onPress={() => void copy()}
      />
    </span>
  );
}

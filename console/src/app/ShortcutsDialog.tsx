import { Dialog } from '../ui/Overlay';
import { useShellTexts } from './texts';
import { useNavigation } from './navigation';

export default function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const t = useShellTexts();
  const groups = useNavigation();
  const label = (id: string) => groups.find((group) => group.id === id)?.label;
  const letters: [string, string | undefined][] = [
    ['h', t('home')],
    ['o', label('orders')],
    ['p', label('products')],
    ['c', label('customers')],
    ['d', label('discounts')],
    ['s', label('settings')],
    ['v', label('developers')],
  ];
  const rows: [string[], string][] = [
    [['Ctrl', 'K'], t('openPalette')],
    [['/'], t('filter')],
    [['j', 'k'], t('moveRows')],
    [['x'], t('selectRow')],
    [['Enter'], t('openRow')],
    [['e'], t('editForm')],
    [['Ctrl', 'S'], t('saveChanges')],
    ...letters
      .filter(([, name]) => name)
      .map(([letter, name]): [string[], string] => [['g', letter], t('goTo', { name: name ?? '' })]),
    [['?'], t('thisHelp')],
  ];
  return (
    <Dialog title={t('shortcuts')} isOpen onClose={onClose}>
      <dl className="shortcuts">
        {rows.map(([keys, text]) => [
          <dt key={`${text}-keys`}>
            {keys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>,
          <dd key={text}>{text}</dd>,
        ])}
      </dl>
    </Dialog>
  );
}

const shapes = {
  home: 'M3 10.5 12 3l9 7.5M5.5 9v11h13V9M10 20v-6h4v6',
  orders: 'M5 3h14v18l-3-2-2 2-2-2-2 2-2-2-3 2zM9 8h6M9 12h6',
  products: 'M12 3 4 7v10l8 4 8-4V7zM4 7l8 4 8-4M12 11v10',
  customers:
    'M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8M2.5 20.5c.5-4 3-6 6.5-6s6 2 6.5 6M16 3.5a4 4 0 0 1 0 7.3M18 14.800c2 .8 3.200 2.700 3.500 5.700',
  discounts:
    'M19 5 5 19M7.500 10a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5M16.500 19a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5',
  content: 'M4 4h16v16H4zM4 9h16M9 9v11',
  settings:
    'M12 15.500a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7M12 2.500v3M12 18.500v3M2.500 12h3M18.500 12h3M5.300 5.300l2.100 2.100M16.600 16.600l2.100 2.100M18.700 5.300l-2.100 2.100M7.400 16.600l-2.100 2.100',
  developers: 'm8 8-5 4 5 4M16 8l5 4-5 4M14 4l-4 16',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14M16 16l5 5',
  plus: 'M12 5v14M5 12h14',
  close: 'M6 6l12 12M18 6 6 18',
  check: 'm5 12.500 4.500 4.500L19 7.500',
  minus: 'M5 12h14',
  down: 'm6 9 6 6 6-6',
  up: 'm6 15 6-6 6 6',
  right: 'm9 6 6 6-6 6',
  left: 'm15 6-6 6 6 6',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  external: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  columns: 'M4 4h16v16H4zM10 4v16M15 4v16',
  filter: 'M3 5h18l-7 8v6l-4 2v-8z',
  download: 'M12 3v12M7 10l5 5 5-5M4 20h16',
  upload: 'M12 16V4M7 9l5-5 5 5M4 20h16',
  undo: 'M9 7 4 12l5 5M4 12h10a6 6 0 0 1 6 6',
  warning: 'M12 3 2 20h20zM12 10v4M12 17h.01',
  info: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M12 11v5M12 8h.01',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M12 7v5l3 2',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
  menu: 'M4 6h16M4 12h16M4 18h16',
  star: 'm12 3 2.700 5.800 6.300.8-4.600 4.400 1.200 6.300L12 17.200 6.400 20.300l1.200-6.300L3 9.600l6.300-.8z',
  bolt: 'M13 3 5 14h6l-1 7 8-11h-6z',
  refresh: 'M20 11a8 8 0 0 0-14-4L4 9M4 4v5h5M4 13a8 8 0 0 0 14 4l2-2M20 20v-5h-5',
  user: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4.500 20.500c.6-4 3.400-6 7.500-6s6.900 2 7.500 6',
  globe: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18',
  key: 'M8 18a4 4 0 1 0 0-8 4 4 0 0 0 0 8M11 11l9-8M16 6.500l2.500 2.500',
  grid: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z',
} as const;

export type IconName = keyof typeof shapes;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg className={`icon icon-${name}`} width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={shapes[name]} />
    </svg>
  );
}

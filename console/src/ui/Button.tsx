import type { ReactNode } from 'react';
import { Button as AriaButton, Tooltip, TooltipTrigger, type ButtonProps as AriaProps } from 'react-aria-components';
import { Icon, type IconName } from './Icon';

export interface ButtonProps extends Omit<AriaProps, 'className' | 'style' | 'children'> {
  /** `primary`: the one most used action of a page. `plain`: without a border. */
  look?: 'primary' | 'normal' | 'plain' | 'danger';
  icon?: IconName;
  small?: boolean;
  /** Only the icon on a phone. */
  compact?: boolean;
  children?: ReactNode;
}

export function Button({ look = 'normal', icon, small, compact, children, ...props }: ButtonProps) {
  return (
    <AriaButton
      {...props}
      className={`button button-${look}${small ? ' button-small' : ''}${compact ? ' button-compact' : ''}${children ? '' : ' button-icon'}`}
    >
      {icon && <Icon name={icon} />}
      {children && <span className="button-text">{children}</span>}
    </AriaButton>
  );
}

/** A button that shows only an icon. Its label is the name for screen readers, and a tooltip. */
export function IconButton({ label, ...props }: ButtonProps & { label: string; icon: IconName }) {
  return (
    <TooltipTrigger delay={500} closeDelay={0}>
      <Button look="plain" {...props} aria-label={label} />
      <Tooltip className="tooltip" offset={6}>
        {label}
      </Tooltip>
    </TooltipTrigger>
  );
}

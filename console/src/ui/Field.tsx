import { useId, type ReactNode } from 'react';
import {
  Checkbox as AriaCheckbox,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select as AriaSelect,
  SelectValue,
  Switch as AriaSwitch,
  Text,
  TextArea,
  TextField as AriaTextField,
  Button as AriaButton,
  type TextFieldProps as AriaTextFieldProps,
} from 'react-aria-components';
import { Icon } from './Icon';
import { useWords } from './texts';

export interface FieldFrameProps {
  label?: ReactNode;
  hint?: ReactNode;
  error?: string;
  required?: boolean;
  changed?: boolean;
}

/** The mark behind the label of a required field. */
export function LabelText({ label, required }: { label: ReactNode; required?: boolean }) {
  const t = useWords();
  return (
    <>
      {label}
      {required && (
        <span className="field-required" title={t('required')} aria-hidden="true">
          *
        </span>
      )}
    </>
  );
}

/** Label, hint and error around controls that are not one input, e.g. a picker. */
export function FieldGroup({
  label,
  hint,
  error,
  required,
  changed,
  children,
  action,
}: FieldFrameProps & { children: ReactNode; action?: ReactNode }) {
  const id = useId();
  return (
    <div className="field" role="group" aria-labelledby={label ? id : undefined} data-changed={changed || undefined}>
      {(label || action) && (
        <div className="field-head">
          <span className="field-label" id={id}>
            <LabelText label={label} required={required} />
          </span>
          {action}
        </div>
      )}
      {children}
      {hint && <p className="field-hint">{hint}</p>}
      {error && (
        <p className="field-error" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

export interface TextFieldProps
  extends FieldFrameProps, Omit<AriaTextFieldProps, 'className' | 'style' | 'children' | 'isRequired'> {
  multiline?: boolean;
  rows?: number;
  placeholder?: string;
  mono?: boolean;
  suffix?: ReactNode;
  list?: string;
  dir?: 'auto' | 'ltr';
}

export function TextField({
  label,
  hint,
  error,
  required,
  changed,
  multiline,
  rows,
  placeholder,
  mono,
  suffix,
  list,
  dir,
  ...props
}: TextFieldProps) {
  return (
    <AriaTextField
      {...props}
      className="field"
      isInvalid={!!error}
      isRequired={required}
      validationBehavior="aria"
      data-changed={changed || undefined}
    >
      {label && (
        <Label className="field-label">
          <LabelText label={label} required={required} />
        </Label>
      )}
      <div className={`control${mono ? ' mono' : ''}`}>
        {multiline ? (
          <TextArea className="control-input control-area" rows={rows ?? 3} placeholder={placeholder} dir={dir ?? 'auto'} />
        ) : (
          <Input className="control-input" placeholder={placeholder} list={list} dir={dir} />
        )}
        {suffix}
      </div>
      {hint && (
        <Text slot="description" className="field-hint">
          {hint}
        </Text>
      )}
      <FieldError className="field-error">{error}</FieldError>
    </AriaTextField>
  );
}

export interface Option {
  id: string;
  label: string;
  hint?: string;
}

export interface SelectProps extends FieldFrameProps {
  options: Option[];
  value: string | null;
  onChange: (value: string) => void;
  isDisabled?: boolean;
  placeholder?: string;
  small?: boolean;
  'aria-label'?: string;
}

export function Select({
  label,
  hint,
  error,
  required,
  changed,
  options,
  value,
  onChange,
  small,
  placeholder,
  ...props
}: SelectProps) {
  const t = useWords();
  return (
    <AriaSelect
      {...props}
      className="field"
      value={value}
      onChange={(key) => key !== null && onChange(String(key))}
      isInvalid={!!error}
      isRequired={required}
      validationBehavior="aria"
      placeholder={placeholder ?? t('choose')}
      data-changed={changed || undefined}
    >
      {label && (
        <Label className="field-label">
          <LabelText label={label} required={required} />
        </Label>
      )}
      <AriaButton className={`control select${small ? ' select-small' : ''}`}>
        <SelectValue className="select-value truncate" />
        <Icon name="down" size={14} />
      </AriaButton>
      {hint && (
        <Text slot="description" className="field-hint">
          {hint}
        </Text>
      )}
      <FieldError className="field-error">{error}</FieldError>
      <Popover className="popover" offset={4}>
        <ListBox className="menu" items={options}>
          {(option) => (
            <ListBoxItem id={option.id} textValue={option.label} className="menu-item">
              <span className="truncate">{option.label}</span>
              {option.hint && <span className="muted small push">{option.hint}</span>}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}

export function Checkbox({
  children,
  isSelected,
  isIndeterminate,
  onChange,
  isDisabled,
  ...props
}: {
  children?: ReactNode;
  isSelected: boolean;
  isIndeterminate?: boolean;
  onChange: (value: boolean) => void;
  isDisabled?: boolean;
  'aria-label'?: string;
}) {
  return (
    <AriaCheckbox
      {...props}
      className="checkbox"
      isSelected={isSelected}
      isIndeterminate={isIndeterminate}
      onChange={onChange}
      isDisabled={isDisabled}
    >
      <span className="checkbox-box">
        <Icon name={isIndeterminate ? 'minus' : 'check'} size={12} />
      </span>
      {children}
    </AriaCheckbox>
  );
}

export function Switch({
  children,
  isSelected,
  onChange,
  isDisabled,
  ...props
}: {
  children?: ReactNode;
  isSelected: boolean;
  onChange: (value: boolean) => void;
  isDisabled?: boolean;
  'aria-label'?: string;
}) {
  return (
    <AriaSwitch {...props} className="switch" isSelected={isSelected} onChange={onChange} isDisabled={isDisabled}>
      <span className="switch-track">
        <span className="switch-thumb" />
      </span>
      {children}
    </AriaSwitch>
  );
}

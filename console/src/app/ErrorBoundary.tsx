import { Component, type ReactNode } from 'react';
import { ErrorState } from '../ui/Feedback';

/** After an update of the server the files of the old console are gone: the page is loaded again, once. */
const RELOADED = 'kontor.reloaded';
const isOldFile = (error: unknown) =>
  error instanceof Error && /dynamically imported module|Failed to fetch|preload/i.test(error.message);

interface Props {
  children: ReactNode;
}

/** Shows an error of a page in its place, so that the navigation stays. */
export class ErrorBoundary extends Component<Props, { error?: unknown }> {
  override state: { error?: unknown } = {};

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override componentDidCatch(error: unknown): void {
    if (!isOldFile(error) || sessionStorage.getItem(RELOADED)) return;
    sessionStorage.setItem(RELOADED, '1');
    location.reload();
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    return (
      <div className="page">
        <ErrorState error={this.state.error} onRetry={() => this.setState({ error: undefined })} />
      </div>
    );
  }
}

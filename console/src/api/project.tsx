import { createContext, useContext, useMemo, type ReactNode } from 'react';
import type { ModelIndex } from '../model/model';
import { clientFor, type Client } from './client';
import type { Configuration } from './console';
import { useSession } from './session';

interface App {
  configuration: Configuration;
  model: ModelIndex;
}

const AppContext = createContext<App | undefined>(undefined);
export const AppProvider = ({ value, children }: { value: App; children: ReactNode }) => (
  <AppContext.Provider value={value}>{children}</AppContext.Provider>
);

export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error('outside of AppProvider');
  return app;
}

/** The address of the API; of one that the console does not know, an example. */
export const useApiOrigin = (): string =>
  useApp().configuration.mode === 'embedded' ? location.origin : 'https://api.example.com';

/** The address of the token endpoint, as `useApiOrigin`. */
export const useAuthOrigin = (): string =>
  useApp().configuration.mode === 'embedded' ? location.origin : 'https://auth.example.com';

export const useModel = (): ModelIndex => useApp().model;

export interface Project {
  key: string;
  name: string;
  role: string;
  /** Scopes without the project key: `view_products`. */
  scopes: ReadonlySet<string>;
  client: Client;
}

const ProjectContext = createContext<Project | undefined>(undefined);

export function ProjectProvider({ projectKey, children }: { projectKey: string; children: ReactNode }) {
  const { configuration } = useApp();
  const session = useSession();
  const found = session.projects.find((project) => project.key === projectKey);
  const value = useMemo<Project | undefined>(
    () =>
      found && {
        key: found.key,
        name: found.name ?? found.key,
        role: found.role,
        scopes: new Set(found.scopes),
        client: clientFor(found.key, configuration.apiBase),
      },
    [found, configuration.apiBase],
  );
  return <ProjectContext.Provider value={value}>{children}</ProjectContext.Provider>;
}

/** The project that the address of the page names. */
export function useProject(): Project {
  const project = useContext(ProjectContext);
  if (!project) throw new Error('outside of ProjectProvider');
  return project;
}

export const useClient = (): Client => useProject().client;

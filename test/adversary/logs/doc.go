// Package logs plays another user of the operator's machine, with read access to the
// directories that the node writes logs and bundles to. What the node writes there is
// for its own user to read, whatever the process's file mode mask says.
package logs

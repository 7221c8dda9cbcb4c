// Package logs plays another user of the operator's machine, who may look into the
// directories that the node writes logs and bundles to. What the node writes there is
// for its own user to read, whatever the process's file mode mask says.
package logs

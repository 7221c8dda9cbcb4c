// Package command holds the small commands of tutti, each in files of its name (alerts, configcheck,
// gpulist and gpuwatch, key, ledger, migrate), and what all commands share: exit statuses, the
// configuration that a command looks at, usage errors, and error texts for a terminal.
//
// The larger commands, doctor and init, are packages next to it. cmd/tutti calls all of them.
package command

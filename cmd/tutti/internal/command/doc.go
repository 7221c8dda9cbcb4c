// Package command is what the commands of tutti share: exit statuses, the configuration that
// a command looks at, usage errors, and error texts for a terminal. It is not a command
// itself; cmd/tutti and the packages of the commands call it.
//
// alert.go, configcheck.go, gpulist.go, key.go, ledger.go and migrate.go hold the commands that
// need no more than this.
package command

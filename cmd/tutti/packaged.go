package main

import (
	"fmt"
	"io"

	"github.com/tuttinode/tutti/config"
)

// serviceArgs are the flags of the node that a command looks at. Where none were given
// it is the packages' service, if this machine has one, with the passphrase that systemd
// hands to it.
func serviceArgs(args []string, stderr io.Writer) []string {
	if len(args) > 0 || !isFile(config.ServiceFile) {
		return args
	}
	fmt.Fprintln(stderr, "without flags: the service's configuration, -config "+config.ServiceFile)
	args = []string{"-config", config.ServiceFile}
	cfg, _, _ := config.Load(input(args))
	if cfg.Chain.Password.IsZero() && isFile(servicePassphrase) {
		args = append(args, "-ethPassword", servicePassphrase)
	}
	return args
}

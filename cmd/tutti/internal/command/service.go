package command

import (
	"fmt"
	"io"
	"os"

	"github.com/tuttinode/tutti/config"
)

// ServiceArgs returns the flags of the node that a command looks at. Where none were given
// it is the packages' service, if this machine has one, with the passphrase that systemd
// hands to it.
func ServiceArgs(args []string, stderr io.Writer) []string {
	if len(args) > 0 || !IsFile(config.ServiceFile) {
		return args
	}
	fmt.Fprintln(stderr, "without flags: the service's configuration, -config "+config.ServiceFile)
	args = []string{"-config", config.ServiceFile}
	cfg, _, _ := config.Load(Input(args))
	if cfg.Chain.Password.IsZero() && IsFile(ServicePassphrase) {
		args = append(args, "-ethPassword", ServicePassphrase)
	}
	return args
}

// ServicePassphrase is the file with the passphrase of its key, which only root reads.
const ServicePassphrase = "/etc/credstore/tutti.ethPassword"

// IsFile reports whether path is a regular file.
func IsFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

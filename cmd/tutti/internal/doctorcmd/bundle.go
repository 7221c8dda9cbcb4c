package doctorcmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/command"
	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	client "github.com/tuttinode/tutti/cmd/tutti_cli/node"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/adminapi"
)

const BundleUsage = `usage: tutti doctor bundle [-o FILE.tar.gz] [the node's flags]
Writes what a helper asks for first into one archive: version,
configuration, the checks of doctor, the running node's state and log, the machine.
Secrets are masked. Nothing is sent anywhere.
`

// bundleCommand is `tutti doctor bundle [-o FILE] [the node's flags]`.
func bundleCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	file, args, ok := bundleFile(args, time.Now())
	if !ok {
		fmt.Fprint(stderr, BundleUsage)
		return command.ExitUsage
	}
	in := command.InspectedNode(args, stderr)
	// With mistakes in it, the configuration is what is to be looked at.
	cfg, notices, problems := config.Load(in)
	if cfg == nil {
		fmt.Fprintln(stderr, problems)
		return command.ExitUsage
	}
	a := NewBundle(time.Now(), NewMask(bundleSecrets(cfg)...))
	a.Add("version.txt", "the program", []byte(config.VersionText(process.Version)))
	var check bytes.Buffer
	whole := config.Check{Config: cfg, Notices: notices, Problems: problems, All: true}
	_ = whole.WriteText(&check) // a Buffer takes everything
	a.Add("config.txt", "the configuration, as tutti config check --all shows it", check.Bytes())
	addDoctor(ctx, a, in)
	a.AddNode(ctx, bundleNode(cfg))
	a.AddSystem(os.Environ())
	if err := writeBundle(file, a); err != nil {
		fmt.Fprintln(stderr, err)
		return command.ExitFailed
	}
	fmt.Fprintf(stdout, "%s\n%s is written. Secrets are masked; read it before you send it to anyone.\n",
		a.Contents(), file)
	return command.ExitOK
}

// bundleFile takes -o out of the command line.
func bundleFile(args []string, now time.Time) (file string, rest []string, ok bool) {
	file = "tutti-bundle-" + now.UTC().Format("20060102-150405") + ".tar.gz"
	for i := 0; i < len(args); i++ {
		name, value, has := strings.Cut(strings.TrimPrefix(args[i], "-"), "=")
		switch {
		case args[i] == "-h" || args[i] == "-help" || args[i] == "--help":
			return "", nil, false
		case name != "-o" && name != "o" || !strings.HasPrefix(args[i], "-"):
			rest = append(rest, args[i])
			continue
		case !has && i+1 < len(args):
			i++
			value = args[i]
		}
		if value == "" {
			return "", nil, false
		}
		file = value
	}
	return file, rest, true
}

// bundleSecrets returns what must not be in a bundle: what the configuration holds as
// secret, the admin token, and the values of environment variables called so.
func bundleSecrets(cfg *config.Config) []string {
	out := append(Secrets(cfg), adminToken(cfg))
	for _, v := range os.Environ() {
		name, value, _ := strings.Cut(v, "=")
		name = strings.ToUpper(name)
		for _, word := range []string{"PASS", "SECRET", "TOKEN", "KEY", "CREDENTIAL", "TUTTI_ALERT", "TUTTI_STORE", "URL"} {
			if strings.Contains(name, word) {
				out = append(out, value)
				break
			}
		}
	}
	return out
}

func adminToken(cfg *config.Config) string {
	if given := cfg.Monitoring.AdminToken.Reveal(); given != "" {
		return given
	}
	b, err := os.ReadFile(filepath.Join(cfg.Storage.DataDir, adminapi.TokenFile))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// bundleNode returns the address for requests to the node. Reading needs the token only where other
// machines reach the listener; there it goes to a program of the data directory's user alone,
// as any user of the machine may have taken the port of a node that does not run.
func bundleNode(cfg *config.Config) Node {
	n := Node{Address: cfg.Addresses.AdminListen.Addr(),
		Socket: strings.TrimPrefix(cfg.Addresses.AdminSocket, "unix:")}
	if n.Socket == "" && !cfg.Addresses.AdminListen.Loopback() {
		n.Token, n.Dial = adminToken(cfg), client.DialOwner(cfg.Storage.DataDir)
	}
	return n
}

// doctorTime bounds the checks for a bundle.
const doctorTime = 30 * time.Second

// addDoctor runs the checks in a process of their own: whatever they meet, the bundle
// is written.
func addDoctor(ctx context.Context, a *Archive, in config.Input) {
	const about = "the checks of tutti doctor"
	self, err := os.Executable()
	if err != nil {
		a.Missing("doctor.json", about, err)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, doctorTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, append([]string{"doctor", "--json"}, in.Args...)...)
	cmd.Env = in.Environ
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &stdout, &stderr, time.Second
	err = cmd.Run() // its status is that of the checks
	if stdout.Len() == 0 {
		a.Missing("doctor.json", about, errors.Join(err, errors.New(strings.TrimSpace(stderr.String()))))
		return
	}
	a.Add("doctor.json", about, stdout.Bytes())
}

// writeBundle writes the file so that only its owner can read it, and never over another one.
func writeBundle(path string, a *Archive) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = a.Write(f)
	return errors.Join(err, f.Close())
}

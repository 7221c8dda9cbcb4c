package command

import (
	"cmp"
	"errors"
	"flag"
	"io"
	"os"
	"strings"

	"github.com/tuttinode/tutti/cmd/tutti_cli/node"
	"github.com/tuttinode/tutti/config"
)

// UsualAdmin and UsualGatewayAdmin are where the admin listeners of an orchestrator and of a gateway are
// unless their flags say otherwise.
const (
	UsualAdmin        = "http://127.0.0.1:7935"
	UsualGatewayAdmin = "http://127.0.0.1:5935"
)

// RunningNode reads a command's own flags and returns a client of the node that it asks: that of -node, or
// the one that has the remaining flags, or without any the one at the usual address.
func RunningNode(own *flag.FlagSet, args []string, usual string) (*node.Client, error) {
	at, dataDir, err := nodeAt(own, args, usual)
	if err != nil {
		return nil, err
	}
	home, _ := os.UserHomeDir()
	tokens := node.TokenSources{Env: os.Getenv("TUTTI_ADMIN_TOKEN"), Home: home,
		DataDir: cmp.Or(dataDir, os.Getenv("TUTTI_DATA_DIR")), Network: os.Getenv("TUTTI_NETWORK"),
		Service: config.ServiceDataDir(os.ReadFile)}
	return node.New(node.Options{URL: at, Token: tokens.Find})
}

// nodeAt returns the address of the node that a command asks, and its data directory where it is known.
func nodeAt(own *flag.FlagSet, args []string, usual string) (address, dataDir string, err error) {
	own.SetOutput(io.Discard)
	at := own.String("node", "", "")
	rest, err := parseOwn(own, args)
	switch {
	case err != nil:
		return "", "", err
	case *at != "" && len(rest) > 0:
		return "", "", errors.New("-node says where the node is; its flags are not needed then")
	case *at != "":
		return *at, "", nil
	case len(rest) > 0:
		return adminOf(rest)
	}
	return usual, "", nil
}

// parseOwn parses the flags that a command has itself, and returns all else.
func parseOwn(own *flag.FlagSet, args []string) (rest []string, err error) {
	for i := 0; i < len(args); i++ {
		name, _, valued := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		f := own.Lookup(name)
		if f == nil || !strings.HasPrefix(args[i], "-") {
			rest = append(rest, args[i])
			continue
		}
		take := 1
		if isBool, ok := f.Value.(interface{ IsBoolFlag() bool }); !valued && !(ok && isBool.IsBoolFlag()) {
			take = min(2, len(args)-i)
		}
		if err := own.Parse(args[i : i+take]); err != nil {
			return nil, err
		}
		i += take - 1
	}
	return rest, nil
}

// adminOf returns where a node with these flags listens, and its data directory.
func adminOf(args []string) (address, dataDir string, err error) {
	cfg, _, err := config.Load(Input(args))
	if cfg == nil || err != nil {
		return "", "", err
	}
	if path := cfg.Addresses.AdminSocket; path != "" {
		return "unix:" + path, cfg.Storage.DataDir, nil
	}
	return "http://" + cfg.Addresses.AdminListen.Addr(), cfg.Storage.DataDir, nil
}

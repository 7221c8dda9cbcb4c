package node

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
)

// TokenSources are the places where the admin token may be. It is never on the
// command line, which every user of the machine can read.
type TokenSources struct {
	// File is -token-file.
	File string
	// Env is TUTTI_ADMIN_TOKEN.
	Env string
	// DataDir is the node's data directory where it was named.
	DataDir string
	// Service is the data directory of the packages' service, "" where this user may not
	// know it. A user who may read it is its operator, so that it counts before a home.
	Service string
	// Home is the user's home directory, "" for none.
	Home string
	// Network is the node's network where it was named; else a request to the node gets it.
	Network string
}

// Find looks in the order of how plainly a source was named. Its signature is
// that of Options.Token. The token of a data directory goes to that directory's node alone;
// one that was given by itself goes to the address that the client was given.
func (s TokenSources) Find(ctx context.Context, c *Client) (string, error) {
	switch {
	case s.File != "":
		return readToken(s.File)
	case s.Env != "":
		return strings.TrimSpace(s.Env), nil
	case s.DataDir != "":
		return c.ownToken(s.DataDir)
	case s.Network == "" && s.Service != "" && there(filepath.Join(s.Service, adminapi.TokenFile)):
		return c.ownToken(s.Service)
	case s.Home == "":
		return "", fault.New(fault.AdminTokenMissing, "find the admin token", "there is no home directory to look in")
	}
	network := s.Network
	if network == "" {
		var about adminapi.Node
		if err := c.look(ctx, adminapi.PathNode, "", &about); err != nil {
			return "", err
		}
		network = about.Network
	}
	if network == "" || network != filepath.Base(network) || network == ".." {
		return "", fault.New(fault.AdminTokenMissing, "find the admin token", "the node does not say which network it serves")
	}
	return c.ownToken(filepath.Join(s.Home, ".tutti", network))
}

// ownToken returns the token that a node keeps in its data directory.
func (c *Client) ownToken(dir string) (string, error) {
	path := filepath.Join(dir, adminapi.TokenFile)
	c.keptBy(path)
	return readToken(path)
}

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func readToken(path string) (string, error) {
	content, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fault.New(fault.AdminTokenMissing, "read the admin token", "there is no "+path)
	case errors.Is(err, fs.ErrPermission):
		return "", fault.New(fault.AdminTokenMissing, "read the admin token", "this user may not read "+path)
	case err != nil:
		return "", fault.Wrap(fault.AdminTokenMissing, "read the admin token", err)
	}
	token := strings.TrimSpace(string(content))
	if token == "" || strings.ContainsAny(token, "\r\n\x00") {
		return "", fault.New(fault.AdminTokenMissing, "read the admin token", path+" holds no token")
	}
	return token, nil
}

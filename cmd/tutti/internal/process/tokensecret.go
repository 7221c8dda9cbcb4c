package process

import (
	"crypto/rand"
	"log/slog"
	"path/filepath"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/privatefile"
	"github.com/tuttinode/tutti/pm"
)

// tokenSecretName is the file in the data directory with the secret of auth tokens.
const tokenSecretName = "token.key"

// openTokenSecret returns what the auth tokens of a node off-chain are made with: kept in the
// data directory, so that gateways go on with their sessions when the node was started
// again. Where it cannot be kept, they last as long as the process.
func openTokenSecret(cfg *config.Config, log *slog.Logger) (pm.Secret, error) {
	if cfg.Roles.Orchestrator && cfg.Chain.Offchain() {
		path := filepath.Join(cfg.Storage.DataDir, tokenSecretName)
		s, err := privatefile.OpenSecret(path, rand.Reader)
		if err == nil {
			return pm.Secret(s), nil
		}
		log.Warn("the secret of sessions is not kept: gateways have to open new ones after a restart",
			"path", path, "err", err)
	}
	var s pm.Secret
	_, err := rand.Read(s[:])
	return s, err
}

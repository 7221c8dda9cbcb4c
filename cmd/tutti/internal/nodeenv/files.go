package nodeenv

import (
	"crypto/sha256"
	"os"
	"slices"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/adminapi"
)

// FileSums are the sums of what files held that options name and the configuration
// does not read itself, by option.
type FileSums map[string][sha256.Size]byte

// namedFiles returns those options. A file that cannot be read counts as empty; the part that
// needs it reports that.
func namedFiles(cfg *config.Config) map[string]string {
	return map[string]string{
		"tlsCert": cfg.TLS.Cert, "tlsKey": cfg.TLS.Key, "workerCA": cfg.TLS.WorkerCA, "apiKeys": cfg.Gateway.APIKeys,
		"aiRouting": cfg.Gateway.Routing, "aiGuards": cfg.Gateway.AIGuards,
		"aiModels": cfg.AI.Models, "aiVerifiedModels": cfg.AI.VerifiedModels,
		"orchCA": cfg.TLS.OrchCA, "workerCert": cfg.TLS.WorkerCert, "workerKey": cfg.TLS.WorkerKey,
		"redeemerCA": cfg.TLS.RedeemerCA,
	}
}

// SumFiles sums the files of a configuration.
func SumFiles(cfg *config.Config) FileSums {
	out := FileSums{}
	for option, path := range namedFiles(cfg) {
		if path == "" {
			continue
		}
		if text, err := os.ReadFile(path); err == nil {
			out[option] = sha256.Sum256(text)
		}
	}
	return out
}

// changes returns the files with the same name and another content.
func (f FileSums) changes(next FileSums, was, is *config.Config) (out []adminapi.ReloadChange) {
	before, after := namedFiles(was), namedFiles(is)
	for option, path := range after {
		if path == "" || before[option] != path || f[option] == next[option] {
			continue
		}
		state := adminapi.ReloadRestart
		if slices.Contains(config.Live(), option) {
			state = adminapi.ReloadPending
		}
		out = append(out, adminapi.ReloadChange{Option: option, Old: path, New: path + " (its content)",
			Source: is.Origin(option).String(), State: state})
	}
	slices.SortFunc(out, func(a, b adminapi.ReloadChange) int {
		if a.Option < b.Option {
			return -1
		}
		return 1
	})
	return out
}

package remote

import (
	"crypto/sha256"
	"crypto/subtle"
	"sync/atomic"

	"github.com/tuttinode/tutti/core"
)

// Secrets are the secrets that admit workers. There may be several, so that one can be
// replaced without an interruption. The zero value admits no worker. Its methods are safe for
// concurrent use.
type Secrets struct {
	sums atomic.Pointer[[][sha256.Size]byte]
}

// NewSecrets accepts the given ones.
func NewSecrets(secrets ...core.Secret) *Secrets {
	s := new(Secrets)
	s.Set(secrets...)
	return s
}

// Set replaces all secrets; registered workers stay. Empty secrets are left out.
func (s *Secrets) Set(secrets ...core.Secret) {
	sums := make([][sha256.Size]byte, 0, len(secrets))
	for _, one := range secrets {
		if !one.IsZero() {
			sums = append(sums, sha256.Sum256([]byte(one.Reveal())))
		}
	}
	s.sums.Store(&sums)
}

// Any reports whether there is a secret at all.
func (s *Secrets) Any() bool {
	sums := s.sums.Load()
	return sums != nil && len(*sums) > 0
}

// Match reports whether a worker's secret is one of the secrets. It takes constant time: it
// compares hashes, and always all of them.
func (s *Secrets) Match(presented string) bool {
	sums := s.sums.Load()
	if sums == nil {
		return false
	}
	sum := sha256.Sum256([]byte(presented))
	found := 0
	for i := range *sums {
		found |= subtle.ConstantTimeCompare(sum[:], (*sums)[i][:])
	}
	return found != 0
}

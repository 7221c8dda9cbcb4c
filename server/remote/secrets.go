package remote

import (
	"crypto/sha256"
	"crypto/subtle"
	"sync/atomic"

	"github.com/tuttinode/tutti/core"
)

// Secrets are the secrets by which workers are let in. There may be several at once,
// so that one can be replaced by another without an interruption. The zero value
// lets nobody in. Its methods may be called at the same time.
type Secrets struct {
	sums atomic.Pointer[[][sha256.Size]byte]
}

// NewSecrets accepts the given ones.
func NewSecrets(secrets ...core.Secret) *Secrets {
	s := new(Secrets)
	s.Set(secrets...)
	return s
}

// Set replaces all secrets; who is registered already stays. Empty ones are left out.
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

// Match reports whether what a worker presented is one of the secrets. How long it
// takes tells nothing of them: sums of equal length are compared, and all of them.
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

package admin

import (
	"context"
	"maps"
	"net/http"
	"slices"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
)

// Contracts are the protocol's contracts as far as the key signs for them.
type Contracts interface {
	// TrustedContracts are the addresses that are signed for, and what the Controller
	// answers.
	TrustedContracts() (trusted, answered map[string]core.Address)
	// ConfirmContracts trusts what the Controller answers, as the operator saw it. The
	// error is a fault: ContractsUnchanged, ContractsChanged, or the store's.
	ConfirmContracts(ctx context.Context, seen map[string]core.Address) error
}

// contractEndpoints returns about the contracts that the key signs for.
func contractEndpoints() []endpoint {
	return []endpoint{
		{Route: get(adminapi.PathContracts, "The contracts that the node's key signs for", adminapi.Contracts{}),
			serve: contractsV1},
		{Route: post(adminapi.PathContractsConfirm, "Trust the contracts that the Controller answers now",
			adminapi.ContractsConfirmation{}, adminapi.Contracts{}), serve: confirmContractsV1},
	}
}

func (s *Server) contracts() (Contracts, error) {
	if s.opts.Chain == nil || s.opts.Chain.Contracts == nil {
		return nil, absent("chain")
	}
	return s.opts.Chain.Contracts, nil
}

func contractsV1(s *Server, _ *http.Request) (any, error) {
	source, err := s.contracts()
	if err != nil {
		return nil, err
	}
	return contractsOf(source), nil
}

func contractsOf(source Contracts) adminapi.Contracts {
	trusted, answered := source.TrustedContracts()
	all := maps.Clone(answered)
	maps.Copy(all, trusted)
	out := adminapi.Contracts{Contracts: []adminapi.Contract{}, Changed: !maps.Equal(trusted, answered)}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out.Contracts = append(out.Contracts, adminapi.Contract{Name: name, Trusted: trusted[name],
			Answered: answered[name]})
	}
	return out
}

func confirmContractsV1(s *Server, r *http.Request) (any, error) {
	source, err := s.contracts()
	if err != nil {
		return nil, err
	}
	confirmed, err := body[adminapi.ContractsConfirmation](r)
	if err != nil {
		return nil, err
	}
	seen := make(map[string]core.Address, len(confirmed.Contracts))
	for _, c := range confirmed.Contracts {
		seen[c.Name] = c.Address
	}
	if err := source.ConfirmContracts(r.Context(), seen); err != nil {
		return nil, err
	}
	return contractsOf(source), nil
}

package admin

import (
	"net/http"

	"github.com/tuttinode/tutti/core/adminapi"
)

func keyEndpoints() []endpoint {
	return []endpoint{
		{Route: get(adminapi.PathKeys, "API keys of this gateway: limits, and what they used and spent",
			adminapi.APIKeys{}), serve: keysV1},
		{Route: post(adminapi.PathKeyCreate, "Create an API key; only this answer contains its secret",
			adminapi.APIKeyNew{}, adminapi.APIKeys{}), serve: keyChange(createKeyV1)},
		{Route: post(adminapi.PathKeyLimits, "Change the limits of an API key", adminapi.APIKeyChange{},
			adminapi.APIKeys{}), serve: keyChange(limitKeyV1)},
		{Route: post(adminapi.PathKeyRevoke, "Revoke an API key; requests in progress continue", adminapi.APIKeyName{},
			adminapi.APIKeys{}), serve: keyChange(revokeKeyV1)},
	}
}

func keysV1(s *Server, r *http.Request) (any, error) {
	if s.opts.Work.Keys == nil {
		return nil, absent("API keys")
	}
	list, err := s.opts.Work.Keys.List(r.Context())
	return adminapi.APIKeys{Keys: orEmpty(list)}, err
}

// keyChange makes a change, and answers with all keys.
func keyChange[T any](do func(keys APIKeys, r *http.Request, in T) (secret string, err error)) func(*Server,
	*http.Request) (any, error) {
	return func(s *Server, r *http.Request) (any, error) {
		in, err := body[T](r)
		switch {
		case err != nil:
			return nil, err
		case s.opts.Work.Keys == nil:
			return nil, absent("API keys")
		}
		secret, err := do(s.opts.Work.Keys, r, in)
		if err != nil {
			return nil, err
		}
		list, err := s.opts.Work.Keys.List(r.Context())
		if err != nil && secret == "" {
			return nil, err
		}
		// The secret is shown only in this answer: a failed List must not lose it.
		return adminapi.APIKeys{Keys: orEmpty(list), Secret: secret}, nil
	}
}

func createKeyV1(keys APIKeys, r *http.Request, in adminapi.APIKeyNew) (string, error) {
	return keys.Create(r.Context(), in)
}

func limitKeyV1(keys APIKeys, r *http.Request, in adminapi.APIKeyChange) (string, error) {
	return "", keys.Limit(r.Context(), in)
}

func revokeKeyV1(keys APIKeys, r *http.Request, in adminapi.APIKeyName) (string, error) {
	return "", keys.Revoke(r.Context(), in.Key)
}

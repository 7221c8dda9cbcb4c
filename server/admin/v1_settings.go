package admin

import (
	"encoding/hex"
	"net/http"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
)

// settingEndpoints returns what can be changed without a transaction.
func settingEndpoints() []endpoint {
	return append([]endpoint{
		{Route: get(adminapi.PathSettings, "What can be changed while the node runs", adminapi.Settings{}),
			serve: func(s *Server, _ *http.Request) (any, error) { return s.settings(), nil }},
		{Route: post(adminapi.PathSettings, "Change settings until the next start", adminapi.SettingsChange{},
			adminapi.Settings{}), serve: changeSettings},
		{Route: get(adminapi.PathGas, "The price of gas, and the bounds on it", adminapi.Gas{}), chain: true, serve: gasV1},
		{Route: post(adminapi.PathGas, "Set bounds on the price of gas until the next start", adminapi.GasChange{},
			adminapi.Gas{}), chain: true, serve: changeGas},
		{Route: post(adminapi.PathSign, "Sign a message or an EIP-712 document with the account's key",
			adminapi.SignRequest{}, adminapi.Signature{}), chain: true, serve: signV1},
	}, priceEndpoints()...)
}

func (s *Server) settings() adminapi.Settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := adminapi.Settings{MaxSessions: s.sessions}
	if s.opts.Node.Verbosity != nil {
		out.LogLevel = s.opts.Node.Verbosity.Verbosity()
	}
	return out
}

// changeSettings reads everything before it changes anything.
func changeSettings(s *Server, r *http.Request) (any, error) {
	in, err := body[adminapi.SettingsChange](r)
	if err != nil {
		return nil, err
	}
	sessions := 0
	if in.MaxSessions != nil {
		if sessions, err = in.MaxSessions.Number(); err != nil {
			return nil, badBody("field maxSessions: " + err.Error())
		}
		if s.opts.Node.SetMaxSessions == nil {
			return nil, absent("sessions")
		}
	}
	if in.LogLevel != nil {
		if err := s.changeLogLevel(*in.LogLevel); err != nil {
			return nil, err
		}
	}
	if in.MaxSessions != nil {
		err = s.changeSessions(sessions)
	}
	return s.settings(), err
}

func badBody(detail string) error { return fault.New(fault.AdminBadBody, "admin request", detail) }

func gasV1(s *Server, r *http.Request) (any, error) {
	g, err := s.opts.Chain.gasPrices(r.Context())
	return adminapi.Gas(g), err
}

func changeGas(s *Server, r *http.Request) (any, error) {
	in, err := body[adminapi.GasChange](r)
	if err != nil {
		return nil, err
	}
	if err := s.opts.Chain.setGasBounds(in.Min, in.Max); err != nil {
		return nil, err
	}
	return gasV1(s, r)
}

func signV1(s *Server, r *http.Request) (any, error) {
	in, err := body[adminapi.SignRequest](r)
	if err != nil {
		return nil, err
	}
	if (in.Message == nil) == (in.TypedData == nil) {
		return nil, badBody("exactly one of message and typedData is signed")
	}
	signer := s.opts.Chain.Signer
	if signer == nil {
		return nil, absent("key to sign with")
	}
	var signature []byte
	if in.Message != nil {
		signature, err = signer.SignMessage(r.Context(), []byte(*in.Message))
	} else {
		signature, err = signer.SignTypedData(r.Context(), in.TypedData)
	}
	return adminapi.Signature{Signature: "0x" + hex.EncodeToString(signature), Address: s.opts.Chain.Actor.Account()}, err
}

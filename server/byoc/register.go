package byoc

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/tuttinode/tutti/core/byoc"
	"github.com/tuttinode/tutti/server/admission"
)

// maxRegistration bounds the body of a registration, in bytes.
const maxRegistration = 64 << 10

// authorized reads the body of a request that has the operator's secret.
func (s *Server) authorized(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if !s.o.Authorized(r.Header.Get("Authorization")) {
		w.Header().Set("Connection", "close") // the body is not read
		return nil, errSecret
	}
	admission.Prove(r.Context())
	return io.ReadAll(http.MaxBytesReader(w, r.Body, maxRegistration))
}

func (s *Server) register(w http.ResponseWriter, r *http.Request) error {
	data, err := s.authorized(w, r)
	if errors.Is(err, errSecret) {
		return err
	}
	var c byoc.Registration
	if err == nil {
		c, err = byoc.ParseRegistration(data)
	}
	if err == nil {
		err = s.registry.Put(c)
	}
	if err != nil {
		s.write(w, http.StatusBadRequest, typeJSON, []byte("Error registering capability: "+err.Error()))
		return nil
	}
	s.o.Log.Info("an external capability registered", "model", c.Name, "slots", c.Capacity, "price", c.Price)
	s.o.Lost(c.Name, nil)
	s.write(w, http.StatusOK, typeJSON, []byte("ok"))
	return nil
}

func (s *Server) unregister(w http.ResponseWriter, r *http.Request) error {
	data, err := s.authorized(w, r)
	if errors.Is(err, errSecret) {
		return err
	}
	if err != nil {
		s.write(w, http.StatusBadRequest, typeJSON, []byte("Error unregistering capability: "+err.Error()))
		return nil
	}
	name := strings.TrimSpace(string(data))
	if s.registry.Remove(name) {
		s.o.Log.Info("an external capability was unregistered", "model", name)
	}
	s.o.Lost(name, nil)
	s.write(w, http.StatusOK, typeJSON, []byte("ok"))
	return nil
}

// lost removes a capability whose server does not serve.
func (s *Server) lost(c *byoc.Registration, err error) {
	if !s.registry.RemoveIf(c) {
		return
	}
	s.o.Log.Warn("an external capability was removed; register it again when its server serves", "model", c.Name,
		"err", err)
	s.o.Lost(c.Name, err)
}

package kubernetes

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/test/devnet"
)

// The model that the manifests name, and where its server is in their pods.
const (
	modelID  = "meta-llama/Meta-Llama-3.1-8B-Instruct"
	modelURL = "http://127.0.0.1:8000"
)

// operator replaces in the manifests what an operator does, and what differs here.
type operator struct {
	// secrets are values by their keys.
	secrets map[string]string
	words   *strings.Replacer
}

// newOperator has an account on a chain of the test's own and a model server. There is
// no GPU here.
func newOperator(t *testing.T) *operator {
	t.Helper()
	chain := devnet.Start(t, devnet.Options{})
	key, pass := fundedKey(t, chain)
	return &operator{
		secrets: map[string]string{
			"ethUrl": chain.URL(0), "passphrase": pass, "keystore": key,
			"orchSecret": strings.Repeat("s", 32), "adminToken": strings.Repeat("0a", 32),
		},
		words: strings.NewReplacer("arbitrum-one-mainnet", "devnet", `"-gpu=all",`, "", modelURL, modelServer(t)),
	}
}

// edit is an object with the operator's values.
func (o *operator) edit(t *testing.T, object []byte) []byte {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal(object, &all); err != nil {
		t.Fatal(err)
	}
	if values, ok := all["stringData"].(map[string]any); ok {
		for key := range values {
			values[key] = o.secrets[key]
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return []byte(o.words.Replace(string(text)))
}

// modelServer is one that speaks OpenAI's interface as far as a worker asks before it
// offers the model.
func modelServer(t *testing.T) (url string) {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{
			"object": "list", "data": []map[string]any{{"id": modelID, "object": "model"}},
		})
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// applyAll applies what kustomize makes of every folder: each folder by itself in one
// namespace, where the pods run, and the fleet in its own, as it is. Of the pods the
// namespaces demand the strictest of the cluster's standards.
func (n *nodes) applyAll(o *operator) {
	n.Helper()
	root, err := filepath.Abs(manifests)
	if err != nil {
		n.Fatal(err)
	}
	objects, said, err := check(n.T, root)
	if err != nil {
		n.Fatal(err, said)
	}
	n.call("POST", "/api/v1/namespaces", plain, map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": namespace, "labels": map[string]string{
			"pod-security.kubernetes.io/enforce": "restricted", "pod-security.kubernetes.io/warn": "restricted",
		}},
	}, nil)
	for _, object := range objects {
		text := []byte(object.text)
		if filepath.Base(object.Folder) != "fleet" {
			text = o.edit(n.T, text)
		}
		if err := n.api.apply(n.Context(), namespace, text); err != nil {
			n.Errorf("%s: %s %s: %v", filepath.Base(object.Folder), object.Kind, object.Name, err)
		}
	}
	if n.Failed() {
		n.FailNow()
	}
	n.Logf("%d objects applied", len(objects))
}

// A field that the API does not have is refused, so that what was applied has none.
func (n *nodes) refusesUnknownFields() {
	n.Helper()
	object := `{"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "misspelled"},
		"spec": {"maxUnavailible": 1, "selector": {"matchLabels": {"app.kubernetes.io/name": "tutti-gateway"}}}}`
	err := n.api.apply(n.Context(), namespace, []byte(object))
	if err == nil || !strings.Contains(err.Error(), "maxUnavailible") {
		n.Errorf("a misspelled field: %v", err)
	}
}

package kubernetes

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/cache"
	"github.com/tuttinode/tutti/test/harness"
)

// The networks of the cluster. The API server takes no address of the loopback interface
// for a pod or a Service, so each has there one that differs from its own in the first
// number alone; only this package's tests use them.
const (
	podNetwork     = "10.18.0."
	serviceNetwork = "10.19.0.0/24"
)

// loopback is where an address of the cluster is on this machine.
func loopback(addr string) string { return "127" + strings.TrimPrefix(addr, "10") }

// controllers are those that the manifests' objects need. The rest asks for clouds, or for
// signs of life that the nodes of the test do not give.
const controllers = "deployment-controller,replicaset-controller,statefulset-controller,endpointslice-controller," +
	"disruption-controller,namespace-controller,serviceaccount-controller,persistentvolume-binder-controller," +
	"horizontal-pod-autoscaler-controller"

// programs is the directory of kube-apiserver, kube-controller-manager and etcd. The test
// is skipped where they were not built.
func programs(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(filepath.Join(cache.Dir(), "kubernetes", "current"))
	if err != nil {
		t.Skip("SKIPPED: no API server of Kubernetes is in the cache, so the manifests are not applied to one. " +
			"Run 'make kubernetes': it builds one, within minutes, and runs this test.")
	}
	return dir
}

// startAPIServer starts an API server on an empty store, and its controllers.
func startAPIServer(t *testing.T, dir string) *api {
	t.Helper()
	ca := newAuthority(t)
	ca.issue("apiserver", "kube-apiserver")
	ca.issue("admin", "admin", "system:masters")
	ca.issue("controllers", "system:kube-controller-manager")
	ca.writeKey("tokens")
	addr := harness.Address(t)
	server := harness.Start(t, filepath.Join(dir, "kube-apiserver"),
		"--etcd-servers=http://"+startStore(t, dir),
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--secure-port="+addr[strings.LastIndex(addr, ":")+1:],
		"--endpoint-reconciler-type=none", "--service-cluster-ip-range="+serviceNetwork,
		"--tls-cert-file="+ca.file("apiserver.crt"), "--tls-private-key-file="+ca.file("apiserver.key"),
		"--client-ca-file="+ca.file("ca.crt"), "--anonymous-auth=false", "--authorization-mode=RBAC",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file="+ca.file("tokens.key"), "--service-account-signing-key-file="+ca.file("tokens.key"))
	a := &api{url: "https://" + addr, http: &http.Client{
		Timeout: 30 * time.Second, Transport: &http.Transport{TLSClientConfig: ca.client("admin")},
	}}
	server.Wait("the API server is ready", 2*time.Minute, func() bool {
		return a.call(t.Context(), "GET", "/readyz", "", nil, nil) == nil
	})
	harness.Start(t, filepath.Join(dir, "kube-controller-manager"),
		"--kubeconfig="+kubeconfig(ca, a.url), "--leader-elect=false", "--secure-port=0", "--controllers="+controllers,
		"--use-service-account-credentials", "--service-account-private-key-file="+ca.file("tokens.key"),
		"--root-ca-file="+ca.file("ca.crt"), "--horizontal-pod-autoscaler-sync-period=1s")
	return a
}

var listening = regexp.MustCompile(`listening on (\S+)`)

// startStore starts etcd and returns its address.
func startStore(t *testing.T, dir string) (addr string) {
	t.Helper()
	store := harness.Start(t, filepath.Join(dir, "etcd"), "-data", t.TempDir())
	store.Wait("etcd listens", time.Minute, func() bool {
		found := listening.FindStringSubmatch(store.Log())
		if found != nil {
			addr = found[1]
		}
		return found != nil
	})
	return addr
}

// kubeconfig is a file that tells the controllers where the API server is, and their identity.
func kubeconfig(ca *authority, url string) string {
	ca.Helper()
	type named map[string]any
	text, err := json.Marshal(named{
		"apiVersion": "v1", "kind": "Config", "current-context": "test",
		"clusters": []named{{"name": "test", "cluster": named{"server": url, "certificate-authority": ca.file("ca.crt")}}},
		"users": []named{{"name": "test", "user": named{
			"client-certificate": ca.file("controllers.crt"), "client-key": ca.file("controllers.key"),
		}}},
		"contexts": []named{{"name": "test", "context": named{"cluster": "test", "user": "test"}}},
	})
	if err != nil {
		ca.Fatal(err)
	}
	if err := os.WriteFile(ca.file("kubeconfig"), text, 0o600); err != nil {
		ca.Fatal(err)
	}
	return ca.file("kubeconfig")
}

package kubernetes

import (
	"crypto/tls"
	"net"
	"strconv"
	"time"
)

// serviceObject is a Service of the API server.
type serviceObject struct {
	Metadata struct{ Name string }
	Spec     struct {
		serviceSpec
		ClusterIP string
	}
}

// endpoint is a pod that a Service lists, with what the endpoint controller knows of it.
type endpoint struct {
	Addresses  []string
	Conditions struct{ Ready, Serving, Terminating bool }
}

// endpoints are what the endpoint controller lists for a Service, and the ports by their names.
func (n *nodes) endpoints(service string) (all []endpoint, ports map[string]int, err error) {
	var list struct {
		Items []struct {
			Endpoints []endpoint
			Ports     []struct {
				Name string
				Port int
			}
		}
	}
	err = n.api.call(n.Context(), "GET", "/apis/discovery.k8s.io/v1/namespaces/"+namespace+
		"/endpointslices?labelSelector=kubernetes.io/service-name%3D"+service, "", nil, &list)
	ports = map[string]int{}
	for _, slice := range list.Items {
		all = append(all, slice.Endpoints...)
		for _, p := range slice.Ports {
			ports[p.Name] = p.Port
		}
	}
	return all, ports, err
}

// forward leads connections to the address of every Service to a pod that the endpoint
// controller calls ready, as kube-proxy does, and lets programs dial the Services by their
// names.
func (n *nodes) forward() {
	n.Helper()
	var list struct{ Items []serviceObject }
	n.call("GET", corePath+"/services", "", nil, &list)
	for _, s := range list.Items {
		if s.Spec.ClusterIP == "None" {
			continue
		}
		addr := loopback(s.Spec.ClusterIP)
		n.names[s.Metadata.Name] = addr
		for _, port := range s.Spec.Ports {
			listener, err := net.Listen("tcp", net.JoinHostPort(addr, strconv.Itoa(port.Port)))
			if err != nil {
				n.Fatal(err)
			}
			n.Cleanup(func() { listener.Close() })
			go func() {
				for {
					conn, err := listener.Accept()
					if err != nil {
						return
					}
					go n.lead(conn, s.Metadata.Name, port.Name)
				}
			}()
		}
	}
}

// lead connects a client to a ready endpoint of the Service, or hangs up where there is
// none.
func (n *nodes) lead(conn net.Conn, service, port string) {
	defer conn.Close()
	all, ports, err := n.endpoints(service)
	if err != nil {
		return
	}
	for _, e := range all {
		if !e.Conditions.Ready {
			continue
		}
		to, err := net.Dial("tcp", net.JoinHostPort(loopback(e.Addresses[0]), strconv.Itoa(ports[port])))
		if err != nil {
			continue
		}
		join(conn, to)
		return
	}
}

// lists reports whether a Service lists exactly one pod, and with which condition.
func (n *nodes) lists(service string, addr string, ready bool) bool {
	n.Helper()
	all, _, err := n.endpoints(service)
	if err != nil {
		n.Fatal(err)
	}
	return len(all) == 1 && all[0].Addresses[0] == addr && all[0].Conditions.Ready == ready
}

// reaches reports whether TLS gets through to an orchestrator by a Service's name.
func (n *nodes) reaches(service string) bool {
	dialer := &net.Dialer{Timeout: 5 * time.Second}
	conn, err := tls.DialWithDialer(dialer, "tcp", n.names[service]+":8935", &tls.Config{
		InsecureSkipVerify: true, // nodes sign their own certificates
	})
	if err != nil {
		return false
	}
	return conn.Close() == nil
}

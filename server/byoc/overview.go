package byoc

import (
	"github.com/tuttinode/tutti/core/byoc"
	"github.com/tuttinode/tutti/pm"
)

// Overview is a capability as its operator sees it.
type Overview struct {
	byoc.Registration
	// Free are its free slots.
	Free int
	// Second is the price of a second; Problem is why it has none, and then it gets no work.
	Second  pm.Price
	Problem error
	Use     byoc.Use
}

// Overview lists the registered capabilities in the order of their names.
func (s *Server) Overview() (all []Overview) {
	used := s.tally.All()
	for _, c := range s.registry.Registered() {
		one := Overview{Registration: c, Use: used[c.Name]}
		one.Second, one.Problem = s.price(&c)
		_, one.Free, _ = s.registry.Find(c.Name)
		all = append(all, one)
	}
	return all
}

// Uses is the use by capability since the node started, also of those that are not registered any more.
func (s *Server) Uses() map[string]byoc.Use { return s.tally.All() }

// Remove removes a capability, and reports whether there was one. Work in progress goes on.
func (s *Server) Remove(name string) bool {
	if !s.registry.Remove(name) {
		return false
	}
	s.o.Log.Info("the operator removed an external capability", "model", name)
	s.o.Lost(name, nil)
	return true
}

package poke

import (
	"slices"
	"sync"
)

// Set is the things for which a goroutine has something to do. It is safe for concurrent use; nothing waits.
type Set[T comparable] struct {
	Wake Chan // there is one

	mu   sync.Mutex // guards list
	list []T
}

// NewSet returns an empty set.
func NewSet[T comparable]() *Set[T] { return &Set[T]{Wake: New()} }

// Poke adds a thing and wakes the goroutine.
func (s *Set[T]) Poke(thing T) {
	s.Add(thing)
	s.Wake.Poke()
}

// Add adds a thing for the next time.
func (s *Set[T]) Add(thing T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.list, thing) {
		s.list = append(s.list, thing)
	}
}

// Take returns the things and leaves none, those first that have waited longest.
func (s *Set[T]) Take() []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.list
	s.list = nil
	return list
}

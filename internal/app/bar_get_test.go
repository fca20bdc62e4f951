package app_test

import (
	"net/http"

	"gateway/internal/app/apptest"
)

type (
	client = *apptest.Client
	// get gets an operation ready: the id in its path, and its body.
	get = func(s *stage, email string, actor client) (id string, body any)
	// with is a body that refers to others, which it makes first.
	with = func(actor client) fields
)

func made(actor client, path string, body fields) string {
	return actor.Post(path, body).Want(http.StatusCreated).ID()
}

func plain(body func() fields) with { return func(client) fields { return body() } }

func create(body with) get {
	return func(s *stage, _ string, actor client) (string, any) { s.nothingWaits(); return "", body(actor) }
}

// on makes one first, and sends the body of another unless that is nil.
func on(path string, body, send with) get {
	return func(s *stage, _ string, actor client) (string, any) {
		s.nothingWaits()
		id := made(actor, path, body(actor))
		if send == nil {
			return id, nil
		}
		return id, send(actor)
	}
}

// under answers the owner's id, and that of what it has where there is one already.
func under(field, path string, body with, there, send bool) get {
	return func(s *stage, _ string, actor client) (string, any) {
		s.nothingWaits()
		b := body(actor)
		id := b[field].(string)
		if there {
			id += "/" + made(actor, path, b)
		}
		delete(b, field)
		if !send {
			return id, nil
		}
		return id, b
	}
}

// resources adds the three mutations of each.
func resources(all map[string]get, bodies map[string]with) {
	for path, body := range bodies {
		all["POST "+path] = create(body)
		all["PUT "+path+"/{id}"] = on(path, body, body)
		all["DELETE "+path+"/{id}"] = on(path, body, nil)
	}
}

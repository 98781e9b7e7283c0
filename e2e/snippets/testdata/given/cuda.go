package snippet

//snippets:build

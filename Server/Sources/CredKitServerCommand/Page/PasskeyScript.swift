// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The script of the pages with passkeys. It reads what to do from the button with the identifier `passkey`, and posts forms as the
/// page does. Without scripts, the button stays hidden.
///
/// - Responses are written out by hand: `toJSON()` of some password managers throws.
/// - The request that waits for the autofill of the user name is aborted before another one, and renewed before its challenge
///   expires.
/// - A rejected login does not say whether the server knows the passkey, so that the authenticator is told of a passkey that is
///   gone when its owner removes it, and never after a login: it would delete it for good.
enum PasskeyScript {
    static let text = #"""
        (()=>{"use strict";
        const button=document.getElementById("passkey");
        if(!button||!window.PublicKeyCredential)return;
        const form=button.form,data=button.dataset;
        let pending,busy=false;
        const bytes=t=>Uint8Array.from(atob(t.replace(/-/g,"+").replace(/_/g,"/")),c=>c.charCodeAt(0));
        const text=b=>btoa(String.fromCharCode(...new Uint8Array(b))).replace(/\+/g,"-").replace(/\//g,"_").replace(/=/g,"");
        const say=t=>{
        let p=document.querySelector("[role=alert]");
        if(!p){p=document.createElement("p");p.setAttribute("role","alert");p.tabIndex=-1;form.before(p)}
        p.textContent=t;p.focus()};
        const post=async(path,more)=>{
        const body=new URLSearchParams(more);
        for(const n of["token","account","rd","ticket","label"])if(form.elements[n]&&!body.has(n))body.set(n,form.elements[n].value);
        if("link"in data)body.set("link",location.hash.slice(1));
        const a=await fetch(path,{method:"POST",headers:{accept:"application/json"},body}),j=await a.json();
        if(j.ticket)form.elements.ticket.value=j.ticket;
        if(!a.ok)throw new Error(j.msg);
        return j};
        const ask=async mediation=>{
        pending?.abort();
        const{signal}=pending=new AbortController();
        const{ceremony,options:o}=await post(data.begin);
        signal.throwIfAborted();
        o.challenge=bytes(o.challenge);
        if(o.user)o.user.id=bytes(o.user.id);
        for(const n of["allowCredentials","excludeCredentials"])o[n]?.forEach(c=>c.id=bytes(c.id));
        const c=await navigator.credentials[o.user?"create":"get"]({publicKey:o,mediation,signal});
        const id=text(c.rawId),response={};
        for(const n of["clientDataJSON","attestationObject","authenticatorData","signature","userHandle"])
        if(c.response[n]?.byteLength)response[n]=text(c.response[n]);
        response.transports=c.response.getTransports?.();
        const j=await post(data.end,{ceremony,response:JSON.stringify({id,rawId:id,type:c.type,response})});
        location.assign(j.location)};
        const offer=()=>ask("conditional").catch(e=>{if(e.name==="Error")say(e.message)});
        button.hidden=false;
        button.addEventListener("click",async()=>{
        if(busy)return;
        busy=true;
        try{await ask()}catch(e){
        say(e.name==="Error"?e.message:data.failed);
        if("conditional"in data&&e.name!=="Error")offer()}
        busy=false});
        form.addEventListener("submit",e=>{if("create"in data){e.preventDefault();button.click()}});
        if("conditional"in data)PublicKeyCredential.isConditionalMediationAvailable?.().then(can=>{
        if(can){offer();setInterval(()=>busy||offer(),240000)}});
        for(const f of document.querySelectorAll("form.passkey"))f.addEventListener("submit",async e=>{
        const path=e.submitter?.getAttribute("formaction");
        if(path!=="/auth/passkeys/remove")return;
        e.preventDefault();
        try{
        const j=await post(path,new FormData(f));
        try{await PublicKeyCredential.signalUnknownCredential?.({rpId:j.rpId,credentialId:j.credentialId})}catch{}
        location.assign(j.location)
        }catch(e){say(e.name==="Error"?e.message:data.failed)}})})()
        """#

    /// Its SHA-256, by which the browser runs it and no other one.
    static let hash = "sha256-mFv6at4pQ8EZ8kx8MGQI8WuSnirZjlLLya317AJfqmU="
}
